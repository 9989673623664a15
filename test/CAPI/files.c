/* geFileWrite: files are replaced as a whole, symbolic links are kept, writing to a pipe must be
 * allowed explicitly; errors keep the errno. */
#include "check.h"

#include "ge-c/Files.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static char directory[] = "files-XXXXXX";

static GeStatus writeText(const char *name, const char *text, const GeFileWriteOptions *options) {
  return geFileWrite(S(name), text, strlen(text), options);
}

static void checkContent(const char *name, const char *expected) {
  char bytes[64] = {0};
  int file = open(name, O_RDONLY);
  CHECK(file >= 0);
  ssize_t count = read(file, bytes, sizeof bytes - 1);
  close(file);
  CHECK(count == (ssize_t)strlen(expected) && strcmp(bytes, expected) == 0);
}

static void checkFails(int code, const char *name, const GeFileWriteOptions *options) {
  CHECK_FAILS(GE_ERROR_OS, writeText(name, "x", options));
  int found = 0;
  GeStringRef reason, path;
  CHECK(geErrorGetSystem(&found, &reason, &path));
  CHECK(found == code && reason.length != 0);
  CHECK(path.length == strlen(name) && memcmp(path.data, name, path.length) == 0);
}

int main(void) {
  GeFileWriteOptions isNew = {sizeof isNew, true, false, false};
  GeFileWriteOptions allowPipe = {sizeof allowPipe, false, true, false};
  GeFileWriteOptions noLinks = {sizeof noLinks, false, true, true};
  GeFileWriteOptions older = {sizeof(size_t), true, true, true}; /* only `size` is read */
  CHECK(!geErrorGetSystem(NULL, NULL, NULL));
  CHECK(mkdtemp(directory) && chdir(directory) == 0);

  CHECK_OK(writeText("file", "", NULL));
  CHECK_OK(writeText("file", "old", NULL));
  checkContent("file", "old");
  CHECK(chmod("file", 0640) == 0 && symlink("file", "link") == 0 && link("file", "second") == 0);
  CHECK_OK(writeText("link", "new", NULL));
  checkContent("file", "new");
  checkContent("second", "old"); /* a new inode replaces the file: hard links keep the old one */
  struct stat status;
  CHECK(stat("file", &status) == 0 && (status.st_mode & 0777) == 0640);
  CHECK(lstat("link", &status) == 0 && S_ISLNK(status.st_mode));

  checkFails(EEXIST, "file", &isNew);
  checkFails(EEXIST, "link", &isNew);
  checkFails(ELOOP, "link", &noLinks);
  CHECK_OK(writeText("file", "new", &noLinks));
  CHECK_OK(writeText("fresh", "x", &isNew));
  CHECK_OK(writeText("file", "again", &older));
  checkContent("file", "again");

  checkFails(EISDIR, ".", NULL);
  checkFails(ENOENT, "none/file", NULL);
  checkFails(ENOENT, "", NULL);
  CHECK_FAILS(GE_ERROR_OS, geFileWrite((GeStringRef){"a\0b", 3}, "x", 1, NULL));
  CHECK_FAILS(GE_ERROR_TYPE, geFileWrite(S("file"), NULL, 1, NULL));
  CHECK(!geErrorGetSystem(NULL, NULL, NULL)); /* the last error has no errno */

  CHECK(mkfifo("pipe", 0600) == 0);
  int reader = open("pipe", O_RDONLY | O_NONBLOCK);
  CHECK(reader >= 0);
  checkFails(EINVAL, "pipe", NULL);
  CHECK_OK(writeText("pipe", "through", &allowPipe));
  char bytes[8] = {0};
  CHECK(read(reader, bytes, 7) == 7 && strcmp(bytes, "through") == 0);
  close(reader);
  CHECK_OK(writeText("/dev/null", "x", NULL));

  static const char *const left[] = {"file", "link", "second", "fresh", "pipe"};
  for (size_t i = 0; i < sizeof left / sizeof *left; ++i)
    CHECK(unlink(left[i]) == 0);
  CHECK(chdir("..") == 0 && rmdir(directory) == 0); /* no other files were left */
  return 0;
}
