//===- ElfFile.h - what a shared library exports, without loading it --------------------------===//
#ifndef GE_LIB_HOST_ELFFILE_H
#define GE_LIB_HOST_ELFFILE_H

#include <string>
#include <string_view>

namespace ge::host {

enum class Exports { NotElf, OtherMachine, NotShared, Damaged, Missing, Found };

/// Whether the bytes of an ELF file of this machine export a function of that name. Reads nothing
/// outside of them.
Exports findExport(std::string_view bytes, std::string_view name);

/// What to say of a file that cannot be loaded; empty for Missing and Found.
std::string_view explain(Exports exports);

/// A shared library that stays mapped during the lifetime of this object.
class SharedLibrary {
public:
  /// Opens it with RTLD_LOCAL, and RTLD_NOW unless what it lacks is Python's; throws a Failure.
  explicit SharedLibrary(const std::string &path);
  ~SharedLibrary();
  SharedLibrary(const SharedLibrary &) = delete;
  SharedLibrary &operator=(const SharedLibrary &) = delete;
  /// NULL when there is none.
  void *symbol(const char *name) const;

private:
  void *handle_;
};

} // namespace ge::host

#endif // GE_LIB_HOST_ELFFILE_H
