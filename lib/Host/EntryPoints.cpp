//===- EntryPoints.cpp ----------------------------------------------------------------------------===//
#include "EntryPoints.h"

#include "ge-c/Support.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>
#include <vector>

namespace fs = std::filesystem;

namespace ge::host {

namespace {

/// The group, also of a vendor's package (`acme.ge.passes.plugins`).
constexpr std::string_view kGroup = "ge.passes.plugins";

std::string variable(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

template <typename Visit> void forEachPart(std::string_view text, const Visit &visit) {
  while (!text.empty()) {
    std::string_view part = text.substr(0, text.find(':'));
    if (!part.empty())
      visit(fs::path(part));
    text.remove_prefix(part.size() == text.size() ? part.size() : part.size() + 1);
  }
}

/// As a shell finds a program; empty if there is none.
fs::path programOf(const std::string &name) {
  if (name.find('/') != std::string::npos)
    return name;
  fs::path found;
  forEachPart(variable("PATH"), [&](const fs::path &directory) {
    if (fs::path file = directory / name; found.empty() && ::access(file.c_str(), X_OK) == 0)
      found = std::move(file);
  });
  return found;
}

/// What a package installer wrote for one package.
bool hasGroup(const fs::path &file) {
  constexpr std::streamsize kMost = 1 << 20;
  std::ifstream stream(file, std::ios::binary);
  std::string text(kMost, '\0');
  stream.read(text.data(), kMost);
  text.resize(size_t(stream.gcount()));
  return text.find(kGroup) != std::string::npos;
}

/// A directory of installed packages.
bool holdsGroup(const fs::path &directory) {
  std::error_code error;
  for (fs::directory_iterator at(directory, error), end; !error && at != end; at.increment(error)) {
    fs::path name = at->path().filename();
    std::error_code none;
    if (name.extension() != ".dist-info" && name.extension() != ".egg-info")
      continue;
    if (fs::path file = at->path() / "entry_points.txt";
        fs::is_regular_file(file, none) && hasGroup(file))
      return true;
  }
  return false;
}

/// The directories of packages below a prefix: lib/python3.N/site-packages, and Debian's.
bool prefixHoldsGroup(const fs::path &prefix) {
  std::error_code error;
  for (const char *lib : {"lib", "lib64"})
    for (fs::directory_iterator at(prefix / lib, error), end; !error && at != end;
         at.increment(error))
      if (at->path().filename().native().starts_with("python3"))
        for (const char *packages : {"site-packages", "dist-packages"})
          if (holdsGroup(at->path() / packages))
            return true;
  return false;
}

/// The environment of an interpreter: the virtual one that its path is in, and the one of its file.
bool interpreterHoldsGroup(const fs::path &program) {
  if (program.empty())
    return false;
  std::error_code error;
  if (prefixHoldsGroup(program.parent_path().parent_path()))
    return true;
  fs::path file = fs::canonical(program, error);
  return !error && prefixHoldsGroup(file.parent_path().parent_path());
}

} // namespace

bool hasPassEntryPoints(const char *python) {
  if (variable("GE_NO_PLUGINS") == "1")
    return false;
  bool isFound = false;
  forEachPart(variable("PYTHONPATH"),
              [&](const fs::path &directory) { isFound = isFound || holdsGroup(directory); });
  if (isFound)
    return true;
  // The order in which the bridge looks for an interpreter.
  std::string chosen = python && *python ? python : variable("GE_PYTHON");
  if (!chosen.empty())
    return interpreterHoldsGroup(programOf(chosen));
  if (std::string environment = variable("VIRTUAL_ENV"); !environment.empty())
    return prefixHoldsGroup(environment);
  // <packages>/ge/_mlir_like/_ge/libGE.so
  fs::path packages = fs::path(geLibraryPath()).parent_path().parent_path().parent_path();
  packages = packages.parent_path();
  if (packages.filename() == "site-packages" || packages.filename() == "dist-packages")
    return holdsGroup(packages);
  return interpreterHoldsGroup(programOf("python3"));
}

} // namespace ge::host
