//===- trust_test.cpp - who may change code that runs here ------------------------------------===//
//
// Guarantee under test: the decision about one file, directory or link, for every combination of
// owner, permissions, group and access control list; the walk over a path is tested from Python.
//
#include "check.h"

#include "ge/Support/Error.h"
#include "ge/Support/FileTrust.h"

#include <string_view>
#include <sys/stat.h>

using namespace ge;

static std::string why(uint32_t mode, uint32_t owner, uint32_t group = 100,
                       bool groupIsPrivate = false, bool hasAcl = false) {
  return distrustOf(FileFacts{"thing", mode, owner, group, hasAcl}, TrustedUsers{1000, {2000}},
                    groupIsPrivate);
}

static bool says(const std::string &text, std::string_view part) {
  return text.find(part) != std::string::npos &&
         text.find("GE_ALLOW_UNSAFE_PLUGINS=1") != std::string::npos;
}

int main() {
  for (uint32_t owner : {0u, 1000u, 2000u}) {
    CHECK(why(S_IFREG | 0644, owner).empty());
    CHECK(why(S_IFDIR | 0755, owner).empty());
    CHECK(why(S_IFLNK | 0777, owner).empty());
    CHECK(says(why(S_IFREG | 0646, owner), "writable by everybody (mode 0646)"));
    CHECK(says(why(S_IFREG | 0664, owner), "writable by group 100 (mode 0664)"));
    CHECK(says(why(S_IFDIR | 0775, owner), "chmod g-w"));
    CHECK(says(why(S_IFDIR | 0777, owner), "chmod o-w"));
    // Entries of a directory with the sticky bit are their owners' alone; of a file it says
    // nothing.
    CHECK(why(S_IFDIR | S_ISVTX | 0777, owner).empty());
    CHECK(says(why(S_IFREG | S_ISVTX | 0666, owner), "everybody"));
    CHECK(why(S_IFREG | 0664, owner, 0).empty());         // root's group
    CHECK(why(S_IFREG | 0664, owner, 100, true).empty()); // the owner's own
    CHECK(says(why(S_IFREG | 0666, owner, 100, true), "everybody"));
    CHECK(says(why(S_IFREG | 0664, owner, 100, true, true), "access control list"));
    CHECK(says(why(S_IFREG | 0664, owner, 0, false, true), "access control list"));
    CHECK(why(S_IFREG | 0644, owner, 100, false, true).empty()); // which lets no user write
  }
  for (uint32_t kind : {S_IFREG | 0600, S_IFDIR | 0700, S_IFLNK | 0777, S_IFDIR | S_ISVTX | 0777})
    CHECK(says(why(kind, 3000), "'thing' belongs to user 3000"));
  for (const char *path : {"", "no/such/file"}) {
    bool thrown = false;
    try {
      static_cast<void>(distrustOf(path, ""));
    } catch (const Error &error) {
      thrown = error.kind() == ErrorKind::OS;
    }
    CHECK(thrown);
  }
  return checkSummary();
}
