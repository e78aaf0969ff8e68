// SPDX-License-Identifier: Apache-2.0
// dladdr knows exported functions only, and kernels are none; the file's own table has them all unless it is stripped.
#include "kernel_name.hpp"

#include <cxxabi.h>
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>

namespace cuda_on_cpu {
namespace {

std::string demangled(const char* name) {
  int status = 0;
  char* const text = abi::__cxa_demangle(name, nullptr, nullptr, &status);
  std::string result = status == 0 && text != nullptr ? text : name;
  std::free(text);
  return result;
}

/// The name of the function at `offset` of an ELF file, or "".
std::string find_symbol(std::span<const char> file, uint64_t offset) {
  Elf64_Ehdr header;
  if (file.size() < sizeof(header)) return "";
  std::memcpy(&header, file.data(), sizeof(header));
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64) return "";
  const auto section = [&](size_t i) {
    Elf64_Shdr s;
    std::memcpy(&s, file.data() + header.e_shoff + i * header.e_shentsize, sizeof(s));
    return s;
  };
  for (size_t i = 0; i < header.e_shnum; ++i) {
    const Elf64_Shdr table = section(i);
    if (table.sh_type != SHT_SYMTAB) continue;
    const Elf64_Shdr names = section(table.sh_link);
    for (uint64_t at = 0; at < table.sh_size; at += sizeof(Elf64_Sym)) {
      Elf64_Sym symbol;
      std::memcpy(&symbol, file.data() + table.sh_offset + at, sizeof(symbol));
      if (symbol.st_value == offset && (symbol.st_info & 0xf) == STT_FUNC)
        return file.data() + names.sh_offset + symbol.st_name;
    }
  }
  return "";
}

std::string symbol_in_file(const char* path, uint64_t offset) {
  const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return "";
  struct stat status {};
  std::string name;
  if (fstat(descriptor, &status) == 0) {
    const auto size = static_cast<size_t>(status.st_size);
    void* const bytes = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (bytes != MAP_FAILED) {
      name = find_symbol({static_cast<const char*>(bytes), size}, offset);
      munmap(bytes, size);
    }
  }
  close(descriptor);
  return name;
}

}  // namespace

std::string kernel_name(const void* function) {
  Dl_info info{};
  if (dladdr(function, &info) != 0 && info.dli_fname != nullptr) {
    const auto address = reinterpret_cast<uintptr_t>(function);
    const auto base = reinterpret_cast<uintptr_t>(info.dli_fbase);
    // A program that isn't position-independent has its addresses in the table, the others offsets.
    for (const uint64_t value : {address - base, address}) {
      if (const std::string name = symbol_in_file(info.dli_fname, value); !name.empty()) return demangled(name.c_str());
    }
  }
  char text[32];
  std::snprintf(text, sizeof(text), "at %p", function);
  return text;
}

}  // namespace cuda_on_cpu
