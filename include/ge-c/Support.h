/*===- ge-c/Support.h - status, errors, strings, versions -----------------------------------===*\
|*
|* The C API of GE. Rules for all functions:
|*
|* - A function that can fail returns a GeStatus; GE_OK is 0. Results are returned in the last
|*   parameters, which are written only on GE_OK. The failure's text and diagnostics are kept per
|*   thread until the next failing call on that thread (geErrorMessage and friends).
|* - No function throws, aborts or reads freed memory, in any order of calls, if each pointer was
|*   returned by this API and the caller has not released it. NULL in place of an object is
|*   GE_ERROR_TYPE; functions without a status then do nothing or return NULL, 0 or false.
|* - "New reference": the caller owns the object and releases it with the function that the comment
|*   names. All other results are borrowed; the comment states their lifetime.
|* - A returned GeStringRef is UTF-8 without terminator. It is valid until the next call on the same
|*   thread that returns a string, unless stated otherwise. A GeStringRef that a function takes is
|*   copied; data may be NULL when length is 0. Names must be UTF-8, else GE_ERROR_VALUE.
|* - A struct that begins with `size_t size` may get further fields at its end. The code that
|*   creates the object sets `size` to its sizeof and the rest to zero or to values: `{.size =
|*   sizeof spec}`; in C++, `size` has an initializer. In a struct that a function takes, fields
|*   that `size` does not cover have their defaults. Into one that a function fills, nothing is
|*   written beyond `size`, and fields that this library does not know stay as they were. A size of
|*   0, or of more than 64 KiB, is GE_ERROR_VALUE. Elements of an array have one size. A callback
|*   gets structs whose `size` says which fields this library has: it reads and writes no others.
|* - All other structs are values: they are passed by value, stand in arrays or are the layout of
|*   another interface, and never change within one GE_C_ABI_VERSION. These are GeStringRef,
|*   GeAttribute, GeDim, GeNamedAttribute, GeUse, GeKeyword, GeBoundArg, and in ge-c/Values.h GeAny
|*   and the objects that it refers to, which are those of DLPack and apache-tvm-ffi.
|*   ge-c/api.txt records the layout of every struct.
|* - Cost is O(1) unless stated otherwise.
|* Since 0.1 unless a function states otherwise.
|*
|*
\*===----------------------------------------------------------------------------------------===*/
#ifndef GE_C_SUPPORT_H
#define GE_C_SUPPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#ifdef GE_C_API_BUILD
#define GE_C_API __declspec(dllexport)
#else
#define GE_C_API __declspec(dllimport)
#endif
#elif defined(GE_C_STUBS)
/* GE::Stubs, and plugins that link it: the functions are their own copies. */
#define GE_C_API __attribute__((visibility("hidden")))
#else
#define GE_C_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
#define GE_C_BEGIN extern "C" {
#define GE_C_END }
#else
#define GE_C_BEGIN
#define GE_C_END
#endif

/** Initialises the first field of a struct that begins with its size, in C++. */
#ifdef __cplusplus
#define GE_SIZE_OF(type) = sizeof(type)
#else
#define GE_SIZE_OF(type)
#endif

GE_C_BEGIN

/** Version of the ABI; each incompatible change increments it. */
#define GE_C_ABI_VERSION 1

/** The GE_C_ABI_VERSION that the library was built with. A client compares it with its own. */
GE_C_API int geAbiVersion(void);
/** "major.minor.patch" of the library; static. */
GE_C_API const char *geVersion(void);
/** All functions of this API as a table (ge-c/Api.h), which lives as long as the library. */
typedef struct GeApi GeApi;
GE_C_API const GeApi *geApiGet(void);
/** An address that is different for each loaded copy of the library, and its file's absolute path
 * without ".." (static; empty when unknown). */
GE_C_API const void *geCoreInstance(void);
GE_C_API const char *geLibraryPath(void);

typedef struct GeStringRef {
  const char *data;
  size_t length;
} GeStringRef;

/** Called one or more times with consecutive pieces of a text. */
typedef void (*GeStringCallback)(GeStringRef piece, void *userData);

typedef enum GeStatus {
  GE_OK = 0,
  GE_ERROR_GENERAL,
  GE_ERROR_PARSE,
  GE_ERROR_VERIFY,
  GE_ERROR_STALE,
  GE_ERROR_BUSY,
  GE_ERROR_PASS,
  GE_ERROR_OP_SCHEMA,
  GE_ERROR_MODEL,
  GE_ERROR_TYPE,
  GE_ERROR_VALUE,
  GE_ERROR_INDEX,
  GE_ERROR_KEY,
  GE_ERROR_OVERFLOW,
  GE_ERROR_MEMORY,
  GE_ERROR_NOT_IMPLEMENTED,
  GE_ERROR_OS,
  GE_ERROR_INTERNAL,
  GE_ERROR_INTERRUPTED, /**< the interrupt check ended the call; its changes are undone */
  GE_ERROR_STATE        /**< not possible in this state of the process: passes in Python after the
                           interpreter was finalised, or without an interpreter */
} GeStatus;

/** The status of the last failing call on this thread; GE_OK when none failed yet. */
GE_C_API GeStatus geErrorStatus(void);
/** Its text: the fault, the place and the remedy. Characters of names that control a terminal,
 * direct text or are invisible are escaped, for example "\x1b"; newlines and tabs are not. Valid
 * until this thread's next failing call. */
GE_C_API GeStringRef geErrorMessage(void);

/** Details of a last error with status GE_ERROR_OS: errno, its text or another reason, and the
 * path. False, and nothing is written, for other errors. The strings are valid until the next
 * failing call on this thread; the path need not be UTF-8. */
GE_C_API bool geErrorGetSystem(int *code, GeStringRef *reason, GeStringRef *path);

typedef enum GeSeverity {
  GE_SEVERITY_ERROR = 0,
  GE_SEVERITY_WARNING,
  GE_SEVERITY_REMARK,
  GE_SEVERITY_NOTE
} GeSeverity;

/** One message with its location; line and column count from 1, 0 is unknown. Strings and notes
 * live as long as the error or record that the diagnostic was read from. */
typedef struct GeDiagnostic {
  size_t size GE_SIZE_OF(GeDiagnostic);
  GeSeverity severity;
  GeStringRef file;
  uint32_t line;
  uint32_t column;
  GeStringRef message;
  GeStringRef sourceLine;
  size_t numNotes;
  const struct GeDiagnosticImpl *impl; /**< for geDiagnosticNote */
} GeDiagnostic;

/** Diagnostics of the last failing call on this thread (its message has the first 20); valid until
 * the next one. This function and the two below do not change the thread's error. */
GE_C_API size_t geErrorNumDiagnostics(void);
GE_C_API GeStatus geErrorDiagnostic(size_t index, GeDiagnostic *out);
GE_C_API GeStatus geDiagnosticNote(const GeDiagnostic *diagnostic, size_t index, GeDiagnostic *out);
/** Location in a binary file: `offset` of the byte (-1: none) and path of the field, which is valid
 * as long as the diagnostic. */
GE_C_API GeStatus geDiagnosticPlace(const GeDiagnostic *diagnostic, int64_t *offset,
                                    GeStringRef *field);

/** Reads a file and passes all bytes to `callback`. A pipe, a device or a file of /proc is read
 * with `allowPipe` only, up to 2 GiB; /dev/stdin and /dev/null are always read. GE_ERROR_OS.
 * O(bytes). */
GE_C_API GeStatus geFileRead(GeStringRef path, bool allowPipe, GeStringCallback callback,
                             void *userData);

/** Makes `status` with `message` the thread's last error, for callbacks that report failure. */
GE_C_API void geErrorSet(GeStatus status, GeStringRef message);

/** Checks whether code in a file may run in this process; pass files and plugins use this check.
 *
 * `*trusted` is true when the file, and each directory and link on the way to it, belongs to root,
 * to the effective user or to the owner of `alsoOwnerOf` (such as the prefix of an interpreter;
 * empty: no further owner), and no other user can write to it. Directories with the sticky bit may
 * be writable; a group may write if it is root's or the owner's private one and no access control
 * list adds users. Other kinds of files are not trusted. The environment's
 * GE_ALLOW_UNSAFE_PLUGINS=1 trusts every owner and mode.
 *
 * `path`: bytes as the system has them. `why` (may be NULL) receives the reason and the remedy when
 * `*trusted` is false. Nothing is opened: a FIFO does not block. GE_ERROR_OS when the file or
 * something on the way cannot be read. O(length of the path, links on the way). */
GE_C_API GeStatus geFileIsTrusted(GeStringRef path, GeStringRef alsoOwnerOf, bool *trusted,
                                  GeStringCallback why, void *userData);

/** Returns true to interrupt the call that runs on this thread. It may use this API, but the graphs
 * of the interrupted call are busy. */
typedef bool (*GeInterruptCheck)(void *userData);

/** Installs a check that interrupts long calls: calls whose cost grows with a graph, text or file
 * call `check` every 50 ms on their own thread, and fail with GE_ERROR_INTERRUPTED when it returns
 * true; graphs are then as before the call. A callback that returns GE_ERROR_INTERRUPTED interrupts
 * the enclosing call in the same way. NULL, the default: no check. Call it before other threads use
 * this API; `userData` must outlive their calls. A poll without a call of `check` costs below 1 ns.
 */
GE_C_API void geSetInterruptCheck(GeInterruptCheck check, void *userData);

/** Returns the id of the outermost long call of this thread, such as a run of passes or the
 * inference of a graph, which is unique in the process; 0 outside of such a call. For callbacks
 * that accumulate the cost of one call. O(1). */
GE_C_API uint64_t geCallOfThread(void);

GE_C_END

#endif /* GE_C_SUPPORT_H */
