//===- check.h - the one assertion of the unit tests ------------------------------------------===//

#ifndef GE_TEST_UNIT_CHECK_H
#define GE_TEST_UNIT_CHECK_H

#include <cstdio>

inline int failures = 0;

#define CHECK(condition)                                                                           \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      std::fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #condition);                 \
      ++failures;                                                                                  \
    }                                                                                              \
  } while (false)

/// For the end of main: what a shell wants to know.
inline int checkSummary() {
  if (failures)
    std::fprintf(stderr, "%d checks failed\n", failures);
  return failures != 0;
}

#endif // GE_TEST_UNIT_CHECK_H
