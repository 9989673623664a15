/* Kills the process before the n-th call that changes a file, for test_onnx_crash.py. Loaded with
 * LD_PRELOAD; counting starts with kill_at(n). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/types.h>
#include <unistd.h>

static long steps = 0, limit = -1;

void kill_at(long n) {
  steps = 0;
  limit = n;
}

static void step(void) {
  if (limit >= 0 && ++steps == limit)
    kill(getpid(), SIGKILL);
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

int openat(int directory, const char *path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  mode_t mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  if (flags & O_CREAT)
    step();
  return REAL(openat)(directory, path, flags, mode);
}
ssize_t write(int file, const void *data, size_t size) {
  step();
  return REAL(write)(file, data, size);
}
ssize_t copy_file_range(int from, off64_t *at, int to, off64_t *there, size_t size,
                        unsigned flags) {
  step();
  return REAL(copy_file_range)(from, at, to, there, size, flags);
}
int ftruncate(int file, off_t size) {
  step();
  return REAL(ftruncate)(file, size);
}
int fsync(int file) {
  step();
  return REAL(fsync)(file);
}
int linkat(int from, const char *old, int to, const char *new, int flags) {
  step();
  return REAL(linkat)(from, old, to, new, flags);
}
int renameat(int from, const char *old, int to, const char *new) {
  step();
  return REAL(renameat)(from, old, to, new);
}
int renameat2(int from, const char *old, int to, const char *new, unsigned flags) {
  step();
  return REAL(renameat2)(from, old, to, new, flags);
}
int unlinkat(int directory, const char *path, int flags) {
  step();
  return REAL(unlinkat)(directory, path, flags);
}
