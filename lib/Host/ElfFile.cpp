//===- ElfFile.cpp - what a shared library exports, without loading it ------------------------===//
#include "ElfFile.h"

#include "Failures.h"

#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <optional>

using namespace ge::host;

namespace {

#if defined(__x86_64__)
constexpr uint16_t kMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr uint16_t kMachine = EM_AARCH64;
#elif defined(__riscv)
constexpr uint16_t kMachine = EM_RISCV;
#else
#error "name the ELF machine of this platform"
#endif

/// A T at an offset; nothing when it lies outside.
template <typename T> std::optional<T> read(std::string_view bytes, uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T))
    return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

bool isNamed(std::string_view strings, uint64_t offset, std::string_view name) {
  return offset < strings.size() && strings.size() - offset > name.size() &&
         strings.substr(offset, name.size()) == name && strings[offset + name.size()] == '\0';
}

} // namespace

Exports ge::host::findExport(std::string_view bytes, std::string_view name) {
  if (!bytes.starts_with(ELFMAG))
    return Exports::NotElf;
  auto file = read<Elf64_Ehdr>(bytes, 0);
  if (!file)
    return Exports::Damaged;
  if (file->e_ident[EI_CLASS] != ELFCLASS64 || file->e_ident[EI_DATA] != ELFDATA2LSB ||
      file->e_machine != kMachine)
    return Exports::OtherMachine;
  if (file->e_type != ET_DYN)
    return Exports::NotShared;
  for (uint32_t i = 0; i < file->e_shnum; ++i) {
    auto section = read<Elf64_Shdr>(bytes, file->e_shoff + i * sizeof(Elf64_Shdr));
    if (!section)
      return Exports::Damaged;
    if (section->sh_type != SHT_DYNSYM)
      continue;
    auto names =
        read<Elf64_Shdr>(bytes, file->e_shoff + uint64_t(section->sh_link) * sizeof(Elf64_Shdr));
    if (!names || names->sh_offset > bytes.size() || section->sh_offset > bytes.size() ||
        section->sh_size > bytes.size() - section->sh_offset)
      return Exports::Damaged;
    std::string_view strings = bytes.substr(names->sh_offset, names->sh_size);
    for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= section->sh_size; at += sizeof(Elf64_Sym)) {
      auto symbol = read<Elf64_Sym>(bytes, section->sh_offset + at);
      if (symbol && symbol->st_shndx != SHN_UNDEF && ELF64_ST_TYPE(symbol->st_info) == STT_FUNC &&
          isNamed(strings, symbol->st_name, name))
        return Exports::Found;
    }
  }
  return Exports::Missing;
}

std::string_view ge::host::explain(Exports exports) {
  switch (exports) {
  case Exports::NotElf:
    return "it is not an ELF file";
  case Exports::OtherMachine:
    return "it is an ELF file for another machine";
  case Exports::NotShared:
    return "it is not a shared library";
  case Exports::Damaged:
    return "it is a damaged ELF file";
  case Exports::Missing:
  case Exports::Found:
    break;
  }
  return "";
}

SharedLibrary::SharedLibrary(const std::string &path)
    : handle_(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
  if (handle_)
    return;
  const char *said = dlerror();
  std::string why = said ? said : "it cannot be loaded";
  // A module of Python's may have kernels; without an interpreter its other functions are not
  // called.
  if (why.find("undefined symbol: Py") != std::string::npos)
    handle_ = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (!handle_)
    throw Failure{GE_ERROR_OS, why};
}
SharedLibrary::~SharedLibrary() { dlclose(handle_); }
void *SharedLibrary::symbol(const char *name) const { return dlsym(handle_, name); }
