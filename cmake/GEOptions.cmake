# Flags that hold for every target of our own build; a vendor's build keeps its own.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)

# Wall time of the second build of the same sources. A launcher that was chosen stays.
find_program(GE_CCACHE ccache)
foreach(language C CXX)
  if(GE_CCACHE AND NOT CMAKE_${language}_COMPILER_LAUNCHER)
    set(CMAKE_${language}_COMPILER_LAUNCHER "${GE_CCACHE}")
  endif()
endforeach()

add_compile_options(-Wall -Wextra)
# Modules call the C library some ten times for one access from Python: straight through the table.
add_compile_options(-fno-plt)
if(GE_WERROR)
  add_compile_options(-Werror)
endif()

# Reproducible: no directory of the build machine in the binaries (asserts, debug lines).
add_compile_options("-ffile-prefix-map=${CMAKE_SOURCE_DIR}=.")

if(GE_COMPILER_HEAP AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  math(EXPR kibibytes "${GE_COMPILER_HEAP} * 1024")
  add_compile_options("SHELL:--param ggc-min-heapsize=${kibibytes}")
endif()

if(GE_SANITIZER STREQUAL "address")
  # -O1: stack traces stay readable and the suites stay fast enough to run on every change; -g1: they have lines.
  # vptr is off: it wants the RTTI of nanobind's backend, which is another library's. object-size is off: it takes an
  # eighth of the build, and AddressSanitizer finds the same accesses when they happen.
  add_compile_options(-O1 -g1 -fno-omit-frame-pointer -fsanitize=address,undefined
    -fno-sanitize=vptr,object-size -fno-sanitize-recover=all)
  add_link_options(-fsanitize=address,undefined)
elseif(GE_SANITIZER STREQUAL "thread")
  add_compile_options(-O1 -g1 -fno-omit-frame-pointer -fsanitize=thread)
  add_link_options(-fsanitize=thread)
elseif(GE_SANITIZER)
  message(FATAL_ERROR "GE_SANITIZER is 'address', 'thread' or empty, not '${GE_SANITIZER}'")
endif()
if(GE_LIBFUZZER)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "GE_LIBFUZZER needs clang; the compiler is ${CMAKE_CXX_COMPILER_ID}")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

if(GE_LTO AND NOT GE_SANITIZER)
  include(CheckIPOSupported)
  check_ipo_supported(RESULT GE_HAS_LTO OUTPUT ignored)
  # Only in Release: developers who asked for Debug want links in a second.
  set(CMAKE_INTERPROCEDURAL_OPTIMIZATION_RELEASE ${GE_HAS_LTO})
endif()
