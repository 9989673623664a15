//===- Support.cpp - ge-c/Support.h: errors of a thread, strings, versions --------------------===//

#include "Guard.h"

#include "ge-c/Host.h"

#include "ge/Support/FileTrust.h"
#include "ge/Support/InputFile.h"
#include "ge/Support/SystemError.h"
#include "ge/Support/ThreadInterrupt.h"
#include "ge/Support/Visible.h"

#include <array>
#include <filesystem>
#include <new>
#include <string>
#include <vector>

#ifndef _WIN32
#include <dlfcn.h>
#endif

using namespace ge;
using namespace ge::capi;

namespace {

/// State of a thread between calls.
struct ThreadRecord {
  GeStatus status = GE_OK;
  std::string message;
  std::vector<Diagnostic> diagnostics;
  int code = 0; ///< of the system; `reason` and `path` belong to it
  std::string reason, path;
  std::array<std::string, 8> strings;
  size_t nextString = 0;
};

// A pointer, so that calls from destructors of other thread-local objects find null rather than a
// destroyed object.
thread_local constinit ThreadRecord *threadRecord = nullptr;
struct ThreadEnd {
  ~ThreadEnd() { delete std::exchange(threadRecord, nullptr); }
};

ThreadRecord &ofThread() {
  if (!threadRecord) [[unlikely]] {
    thread_local ThreadEnd end;
    static_cast<void>(&end); // construction registers the destructor
    threadRecord = new ThreadRecord;
  }
  return *threadRecord;
}

void record(GeStatus status, std::string_view message,
            const std::vector<Diagnostic> *diagnostics) noexcept {
  try {
    ThreadRecord &thread = ofThread();
    thread.status = status;
    thread.message.clear();
    thread.diagnostics.clear();
    thread.code = 0;
    thread.message = visible(message);
    if (diagnostics)
      thread.diagnostics = *diagnostics;
  } catch (...) { // no memory for the text: the status alone then
  }
}

void record(const SystemError &error) noexcept {
  ::record(GE_ERROR_OS, error.message(), nullptr);
  try {
    ThreadRecord &thread = ofThread();
    thread.reason = error.reason();
    thread.path = error.path();
    thread.code = error.code();
  } catch (...) { // no memory: the text alone then
  }
}

GeSeverity severity(Severity s) { return static_cast<GeSeverity>(s); }
static_assert(int(Severity::Note) == GE_SEVERITY_NOTE);
static_assert(int(ErrorKind::Internal) == GE_ERROR_INTERNAL);
static_assert(int(ErrorKind::Stale) == GE_ERROR_STALE);

} // namespace

namespace ge::capi {

GeStatus recordException(Context *context) noexcept {
  try {
    throw;
  } catch (const SystemError &error) {
    ::record(error);
    return GE_ERROR_OS;
  } catch (const Interrupted &) {
    ::record(GE_ERROR_INTERRUPTED, "interrupted", nullptr);
    return GE_ERROR_INTERRUPTED;
  } catch (const Error &error) {
    if (context) {
      try {
        for (const Diagnostic &diagnostic : error.diagnostics())
          context->emit(diagnostic);
      } catch (...) { // a failing handler must not hide the error
      }
    }
    auto status = static_cast<GeStatus>(error.kind());
    ::record(status, error.message(), &error.diagnostics());
    return status;
  } catch (const std::bad_alloc &) {
    ::record(GE_ERROR_MEMORY, "out of memory", nullptr);
    return GE_ERROR_MEMORY;
  } catch (const std::exception &error) {
    ::record(GE_ERROR_INTERNAL, error.what(), nullptr);
    return GE_ERROR_INTERNAL;
  } catch (...) {
    ::record(GE_ERROR_INTERNAL, "an unknown exception", nullptr);
    return GE_ERROR_INTERNAL;
  }
}

void throwNull(const char *what) { throwError(ErrorKind::Type, "'", what, "' is NULL"); }

void throwSize(const char *type) {
  throwError(ErrorKind::Value, "the size of a ", type, " is not set; set it to sizeof(", type, ")");
}

void throwForeign(const char *what) {
  throwError(ErrorKind::Value, "'", what,
             "' is an object of one context used in another; make it in the context of the other "
             "arguments");
}

void throwIndex(std::string_view what, size_t index, size_t count) {
  throwError(ErrorKind::Index, what, " ", index, " of ", count);
}

DType needDType(GeDType dtype) {
  if (dtype >= uint8_t(DType::Count_))
    throwError(ErrorKind::Value, "unknown element type ", uint32_t(dtype));
  return DType(dtype);
}

GeStringRef keptString(std::string &&text) {
  ThreadRecord &thread = ofThread();
  std::string &kept = thread.strings[thread.nextString++ % thread.strings.size()];
  kept = std::move(text);
  return stringRef(kept);
}

GeStringRef keptString(std::string_view text) {
  ThreadRecord &thread = ofThread();
  std::string &kept = thread.strings[thread.nextString++ % thread.strings.size()];
  kept.assign(text);
  return stringRef(kept);
}

void give(std::string_view text, GeStringCallback callback, void *userData) noexcept {
  try {
    if (callback)
      callback(stringRef(text), userData);
  } catch (...) { // foreign C++ code threw through a C pointer, and no status can report it
  }
}

GeDiagnostic view(const Diagnostic &d) {
  GeDiagnostic out{};
  out.severity = severity(d.severity);
  out.file = stringRef(d.file);
  out.line = d.line;
  out.column = d.column;
  out.message = stringRef(d.message);
  out.sourceLine = stringRef(d.sourceLine);
  out.numNotes = d.notes.size();
  out.impl = reinterpret_cast<const GeDiagnosticImpl *>(&d);
  return out;
}

Diagnostic needDiagnostic(const GeSeverity &severity, const Location *where, GeStringRef message) {
  int number = numberOf(severity);
  if (number < GE_SEVERITY_ERROR || number > GE_SEVERITY_NOTE)
    throwError(ErrorKind::Value, "there is no severity ", number);
  Diagnostic diagnostic;
  diagnostic.severity = static_cast<Severity>(number);
  diagnostic.message = text(message, "message");
  if (const Location *file = where ? where->firstFile() : nullptr) {
    diagnostic.file = file->file();
    diagnostic.line = file->line();
    diagnostic.column = file->column();
  }
  return diagnostic;
}

} // namespace ge::capi

// --- Versions

int geAbiVersion(void) { return GE_C_ABI_VERSION; }
const char *geVersion(void) { return GE_VERSION_STRING; }

const void *geCoreInstance(void) {
  static const char instance = 0;
  return &instance;
}

const char *geLibraryPath(void) {
#ifndef _WIN32
  // Not destroyed: may be queried at exit.
  static const std::string *path = [] {
    Dl_info found;
    if (!dladdr(reinterpret_cast<const void *>(&geAbiVersion), &found) || !found.dli_fname)
      return new std::string;
    // The dynamic linker's path may be relative, and contains the ".." of a RUNPATH.
    std::filesystem::path file = found.dli_fname;
    std::error_code error;
    std::filesystem::path directory = std::filesystem::canonical(
        file.has_parent_path() ? file.parent_path() : std::filesystem::path("."), error);
    return new std::string(error ? file.string() : (directory / file.filename()).string());
  }();
  return path->c_str();
#else
  return "";
#endif
}

// --- Errors

GeStatus geErrorStatus(void) { return threadRecord ? threadRecord->status : GE_OK; }

GeStringRef geErrorMessage(void) {
  return threadRecord ? stringRef(threadRecord->message) : GeStringRef{"", 0};
}

bool geErrorGetSystem(int *code, GeStringRef *reason, GeStringRef *path) {
  if (!threadRecord || threadRecord->status != GE_ERROR_OS || !threadRecord->code)
    return false;
  if (code)
    *code = threadRecord->code;
  if (reason)
    *reason = stringRef(threadRecord->reason);
  if (path)
    *path = stringRef(threadRecord->path);
  return true;
}

size_t geErrorNumDiagnostics(void) { return threadRecord ? threadRecord->diagnostics.size() : 0; }

// The guard is not used here: it would replace the error that is being read.

/// Null for NULL, and for pointers that are no diagnostics of this library.
static const Diagnostic *diagnosticOf(const GeDiagnostic *diagnostic) {
  bool isOne = diagnostic && diagnostic->size >= offsetof(GeDiagnostic, impl) + sizeof(void *);
  return isOne ? reinterpret_cast<const Diagnostic *>(diagnostic->impl) : nullptr;
}

GeStatus geErrorDiagnostic(size_t index, GeDiagnostic *out) {
  if (!out)
    return GE_ERROR_TYPE;
  if (!isSize(out->size))
    return GE_ERROR_VALUE;
  if (index >= geErrorNumDiagnostics())
    return GE_ERROR_INDEX;
  writeSized(view(threadRecord->diagnostics[index]), out);
  return GE_OK;
}

GeStatus geDiagnosticNote(const GeDiagnostic *diagnostic, size_t index, GeDiagnostic *out) {
  const Diagnostic *of = diagnosticOf(diagnostic);
  if (!of || !out)
    return GE_ERROR_TYPE;
  if (!isSize(out->size))
    return GE_ERROR_VALUE;
  const auto &notes = of->notes;
  if (index >= notes.size())
    return GE_ERROR_INDEX;
  writeSized(view(notes[index]), out);
  return GE_OK;
}

GeStatus geDiagnosticPlace(const GeDiagnostic *diagnostic, int64_t *offset, GeStringRef *field) {
  const Diagnostic *of = diagnosticOf(diagnostic);
  if (!of || !offset || !field)
    return GE_ERROR_TYPE;
  *offset = of->offset;
  *field = stringRef(of->field);
  return GE_OK;
}

void geSetInterruptCheck(GeInterruptCheck check, void *userData) {
  Interrupt::setCheck(check, userData);
}

uint64_t geCallOfThread(void) { return Interrupt::callOfThread(); }

const int *geSetThreadInterrupt(const int *flag) { return setThreadInterruptFlag(flag); }

void geErrorSet(GeStatus status, GeStringRef message) {
  int number = numberOf(status);
  bool known = number > GE_OK && number <= GE_ERROR_STATE;
  ::record(known ? status : GE_ERROR_GENERAL,
           message.data ? std::string_view(message.data, message.length) : "", nullptr);
}

// --- Files

GeStatus geFileRead(GeStringRef path, bool allowPipe, GeStringCallback callback, void *userData) {
  return interruptible([&] {
    std::string bytes = readFile(std::string(text(path, "path")),
                                 allowPipe ? SpecialFiles::Allow : SpecialFiles::Named);
    give(bytes, callback, userData);
  });
}

GeStatus geFileIsTrusted(GeStringRef path, GeStringRef alsoOwnerOf, bool *trusted,
                         GeStringCallback why, void *userData) {
  return guarded([&] {
    bool &out = result(trusted, "trusted");
    std::string reason =
        distrustOf(std::string(text(path, "path")), std::string(text(alsoOwnerOf, "alsoOwnerOf")));
    out = reason.empty();
    if (!out)
      give(reason, why, userData);
  });
}
