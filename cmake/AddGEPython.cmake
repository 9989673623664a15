# Functions to build Python packages on GE, ours and a vendor's alike, after MLIR's of the same names.
#
#   declare_ge_python_sources(<name> ROOT_DIR <dir> [ADD_TO_PARENT <parent>]
#                             [SOURCES <file>...] [SOURCES_GLOB <pattern>...])
#   declare_ge_python_extension(<name> MODULE_NAME <module> [PUBLIC_MODULE <module>]
#                               [ADD_TO_PARENT <parent>] SOURCES <file>...
#                               [STUB_PATTERNS <file>] [STUB_NAME <name>]
#                               [PRIVATE_LINK_LIBS <target>...])
#   add_ge_python_common_capi_library(<target> CAPI_NAME <name> OUTPUT_DIRECTORY <dir>
#                                     INSTALL_DESTINATION <dir> [EMBED_LIBS <object library>...])
#   add_ge_python_bridge(<target> PACKAGE <package> COMMON_CAPI_LINK_LIBS <target>)
#   add_ge_python_modules(<target> ROOT_PREFIX <dir> INSTALL_PREFIX <dir> PREFIX <package>._mlir_like
#                         DOMAIN <nanobind domain> DECLARED_SOURCES <name>...
#                         COMMON_CAPI_LINK_LIBS <target> [DISTRIBUTION <name>] [PROGRAM <name>])
#
# The groups of GE for DECLARED_SOURCES: GEPython.Core, and any of GEPython.Ops, Passes, Onnx, View, Cli, Cann.
# DISTRIBUTION is the name on the package index, whose version the package reports.
#
# A declaration is an INTERFACE library that only carries properties: it can be declared in one
# directory, picked in another, and built twice under two prefixes.
include_guard(GLOBAL)

# ccache keeps no objects of files with a precompiled header unless it is told to ignore time stamps.
if(CMAKE_CXX_COMPILER_LAUNCHER MATCHES "ccache")
  set(GE_PRECOMPILED_HEADERS_DEFAULT OFF)
else()
  set(GE_PRECOMPILED_HEADERS_DEFAULT ON)
endif()
option(GE_PRECOMPILED_HEADERS "Parse the standard library once per tree" ${GE_PRECOMPILED_HEADERS_DEFAULT})

function(_ge_declare name parent)
  add_library(${name} INTERFACE)
  if(parent)
    if(NOT TARGET ${parent})
      add_library(${parent} INTERFACE)
      set_target_properties(${parent} PROPERTIES ge_python_TYPE group)
    endif()
    set_property(TARGET ${parent} APPEND PROPERTY ge_python_DEPENDS ${name})
  endif()
endfunction()

# The objects that another tree (GE_PREBUILT_OBJECTS) lists in a file, made by the same compiler.
function(_ge_prebuilt_objects out list)
  set(list "${GE_PREBUILT_OBJECTS}/${list}")
  if(NOT EXISTS "${list}")
    message(FATAL_ERROR "GE_PREBUILT_OBJECTS: ${list} does not exist; build that tree first")
  endif()
  file(STRINGS "${list}" objects)
  foreach(object IN LISTS objects)
    if(NOT EXISTS "${object}")
      message(FATAL_ERROR "GE_PREBUILT_OBJECTS: ${object} does not exist; build that tree first")
    endif()
  endforeach()
  set(${out} "${objects}" PARENT_SCOPE)
endfunction()

# For GE_UNITY_BUILD: groups GE's own files of each directory by six; others are compiled alone. So are files with the tables
# of a class of Python, which all have the same names (`slots`, `methods`).
function(_ge_unity_groups)
  foreach(source IN LISTS ARGN)
    cmake_path(IS_PREFIX GE_SOURCE_ROOT "${source}" NORMALIZE own)
    file(STRINGS "${source}" tables REGEX "(PyType_Slot|PyMethodDef|Method) [a-z]+\\[\\]")
    if(tables OR NOT own)
      continue()
    endif()
    cmake_path(GET source PARENT_PATH directory)
    cmake_path(GET directory FILENAME directory)
    list(APPEND files_${directory} "${source}")
    list(LENGTH files_${directory} number)
    math(EXPR batch "(${number} - 1) / 6")
    set_source_files_properties("${source}" PROPERTIES UNITY_GROUP "${directory}${batch}")
  endforeach()
endfunction()

# Pure Python files, relative to ROOT_DIR; they keep their relative paths under the package.
function(declare_ge_python_sources name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "ROOT_DIR;ADD_TO_PARENT" "SOURCES;SOURCES_GLOB")
  _ge_declare(${name} "${ARG_ADD_TO_PARENT}")
  set(files ${ARG_SOURCES})
  foreach(pattern IN LISTS ARG_SOURCES_GLOB)
    file(GLOB_RECURSE found CONFIGURE_DEPENDS RELATIVE "${ARG_ROOT_DIR}" "${ARG_ROOT_DIR}/${pattern}")
    list(APPEND files ${found})
  endforeach()
  # Sorted, so that the order of the directory does not reach the wheel.
  list(REMOVE_DUPLICATES files)
  list(SORT files)
  set_target_properties(${name} PROPERTIES
    ge_python_TYPE pure ge_python_ROOT_DIR "${ARG_ROOT_DIR}" ge_python_FILES "${files}")
endfunction()

# One nanobind module. MODULE_NAME is the file, PUBLIC_MODULE the module users import, whose name shows
# in repr and for which the stub is generated. STUB_NAME is the module of a package that the stub describes:
# __init__ for the whole package, _native (the default) for the classes of the extension alone.
function(declare_ge_python_extension name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "MODULE_NAME;PUBLIC_MODULE;ADD_TO_PARENT;STUB_PATTERNS;STUB_NAME"
    "SOURCES;PRIVATE_LINK_LIBS")
  _ge_declare(${name} "${ARG_ADD_TO_PARENT}")
  # Absolute now: the module is created in another directory.
  list(TRANSFORM ARG_SOURCES PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/"
    REGEX "^[^/$]")
  if(ARG_STUB_PATTERNS)
    set_target_properties(${name} PROPERTIES
      ge_python_STUB_PATTERNS "${CMAKE_CURRENT_SOURCE_DIR}/${ARG_STUB_PATTERNS}")
  endif()
  set_target_properties(${name} PROPERTIES
    ge_python_TYPE extension
    ge_python_MODULE_NAME "${ARG_MODULE_NAME}"
    ge_python_PUBLIC_MODULE "${ARG_PUBLIC_MODULE}"
    ge_python_STUB_NAME "${ARG_STUB_NAME}"
    ge_python_FILES "${ARG_SOURCES}"
    ge_python_LINK_LIBS "${ARG_PRIVATE_LINK_LIBS}")
endfunction()

# The build id of the C library: a hash of everything that shapes its code, so that two different
# libraries never have one SONAME (the dynamic linker would silently take the first for both).
function(_ge_build_id out capi_name)
  if(GE_BUILD_ID)
    set(${out} "${GE_BUILD_ID}" PARENT_SCOPE)
    return()
  endif()
  if(NOT SKBUILD)
    # A developer's tree changes with each edit and is never mixed with another: a constant keeps
    # the incremental build incremental.
    set(${out} dev PARENT_SCOPE)
    return()
  endif()
  set(patterns "")
  foreach(suffix IN ITEMS h hpp c cpp inc schema table map)
    list(APPEND patterns "${GE_SOURCE_ROOT}/include/*.${suffix}" "${GE_SOURCE_ROOT}/lib/*.${suffix}")
  endforeach()
  file(GLOB_RECURSE files ${patterns})
  list(SORT files)
  set(digest "${capi_name} ${PROJECT_VERSION} ${CMAKE_SYSTEM_PROCESSOR} ${CMAKE_CXX_COMPILER_ID}")
  string(APPEND digest " ${CMAKE_CXX_COMPILER_VERSION} ${CMAKE_BUILD_TYPE} ${CMAKE_CXX_FLAGS}")
  string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
  string(APPEND digest " ${CMAKE_CXX_FLAGS_${type}} lto=${GE_LTO} ${GE_SANITIZER}")
  if(GE_PREBUILT_OBJECTS)
    string(APPEND digest " prebuilt")
  endif()
  foreach(file IN LISTS files)
    file(SHA256 "${file}" hash)
    cmake_path(RELATIVE_PATH file BASE_DIRECTORY "${GE_SOURCE_ROOT}")
    string(APPEND digest "\n${file} ${hash}")
  endforeach()
  string(SHA256 digest "${digest}")
  string(SUBSTRING "${digest}" 0 12 digest)
  set(${out} "${digest}" PARENT_SCOPE)
endfunction()

# The one shared library with the C API; all modules of a package link to it and it knows no Python.
function(add_ge_python_common_capi_library target)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "CAPI_NAME;OUTPUT_DIRECTORY;INSTALL_DESTINATION"
    "EMBED_LIBS")
  get_property(rooms GLOBAL PROPERTY GE_ROOMS)
  _ge_build_id(id ${ARG_CAPI_NAME})
  add_library(${target} SHARED)
  target_link_libraries(${target} PRIVATE ${rooms} ${ARG_EMBED_LIBS} ${CMAKE_DL_LIBS})
  find_package(Threads REQUIRED)
  target_link_libraries(${target} PRIVATE Threads::Threads)
  # Consumers see the C API alone; from the core's own headers they are kept away by the layer test.
  target_include_directories(${target} INTERFACE "${GE_SOURCE_ROOT}/include")
  set_target_properties(${target} PROPERTIES
    LINKER_LANGUAGE CXX
    # The id is in the file name because wheels hold no symbolic links: name and SONAME are one.
    OUTPUT_NAME "${ARG_CAPI_NAME}-${id}"
    LIBRARY_OUTPUT_DIRECTORY "${ARG_OUTPUT_DIRECTORY}"
    BUILD_RPATH_USE_ORIGIN ON
    INSTALL_RPATH "$ORIGIN"
    LINK_DEPENDS "${GE_SOURCE_ROOT}/lib/CAPI/exports.map"
    ge_capi_OUTPUT_DIRECTORY "${ARG_OUTPUT_DIRECTORY}"
    ge_capi_INSTALL_DESTINATION "${ARG_INSTALL_DESTINATION}")
  # Bsymbolic-functions: calls inside the library do not go through the symbol table.
  target_link_options(${target} PRIVATE
    "LINKER:--version-script=${GE_SOURCE_ROOT}/lib/CAPI/exports.map"
    LINKER:-Bsymbolic-functions)
  if(NOT GE_SANITIZER)
    # A forgotten object file is an error here, not at the first import. (Sanitizer run times come
    # with the executable.)
    target_link_options(${target} PRIVATE LINKER:--no-undefined)
  endif()
  install(TARGETS ${target} LIBRARY DESTINATION "${ARG_INSTALL_DESTINATION}" COMPONENT GEPython)
endfunction()

# The private library that puts a Python interpreter into a native program: see lib/Bridge. It is built
# without Python and serves every version of it.
function(add_ge_python_bridge target)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "PACKAGE;COMMON_CAPI_LINK_LIBS" "")
  get_target_property(directory ${ARG_COMMON_CAPI_LINK_LIBS} ge_capi_OUTPUT_DIRECTORY)
  get_target_property(destination ${ARG_COMMON_CAPI_LINK_LIBS} ge_capi_INSTALL_DESTINATION)
  file(GLOB sources CONFIGURE_DEPENDS "${GE_SOURCE_ROOT}/lib/Bridge/*.cpp")
  add_library(${target} SHARED ${sources})
  target_compile_features(${target} PRIVATE cxx_std_20)
  target_compile_definitions(${target} PRIVATE GE_PYTHON_PACKAGE="${ARG_PACKAGE}")
  # Unique symbols would keep it mapped after dlclose.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fno-gnu-unique>)
  target_link_libraries(${target} PRIVATE ${ARG_COMMON_CAPI_LINK_LIBS} ${CMAKE_DL_LIBS})
  set_target_properties(${target} PROPERTIES
    OUTPUT_NAME ge_python_bridge
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON
    LIBRARY_OUTPUT_DIRECTORY "${directory}"
    BUILD_RPATH_USE_ORIGIN ON
    INSTALL_RPATH "$ORIGIN")
  install(TARGETS ${target} LIBRARY DESTINATION "${destination}" COMPONENT GEPython)
endfunction()

# Flattens groups into leaves, each once.
function(_ge_flatten out)
  set(result "")
  foreach(name IN LISTS ARGN)
    get_target_property(type ${name} ge_python_TYPE)
    get_target_property(below ${name} ge_python_DEPENDS)
    if(NOT type STREQUAL "group")
      list(APPEND result ${name})
    endif()
    if(below)
      _ge_flatten(deeper ${below})
      list(APPEND result ${deeper})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES result)
  set(${out} "${result}" PARENT_SCOPE)
endfunction()

# A group that lacks another one which it needs is an error here, not at the import of a module.
function(_ge_check_groups)
  foreach(name IN LISTS ARGN)
    get_target_property(needs ${name} ge_python_NEEDS)
    if(needs)
      foreach(need IN LISTS needs)
        if(NOT need IN_LIST ARGN)
          message(FATAL_ERROR "DECLARED_SOURCES: ${name} needs ${need}, which is not among them: ${ARGN}")
        endif()
      endforeach()
    endif()
  endforeach()
endfunction()

# _site.py: what the package is called, and the native modules that its build added.
function(_ge_write_site package file)
  cmake_parse_arguments(PARSE_ARGV 2 ARG "" "DISTRIBUTION;PROGRAM" "EXTENSIONS")
  string(REPLACE "." "-" default "${package}")
  foreach(option IN ITEMS DISTRIBUTION PROGRAM)
    if(NOT ARG_${option})
      set(ARG_${option} "${default}")
    endif()
  endforeach()
  list(TRANSFORM ARG_EXTENSIONS REPLACE "(.+)" "\"\\1\",")
  list(JOIN ARG_EXTENSIONS " " extensions)
  file(REMOVE "${file}") # it may be a link to ours
  file(CONFIGURE OUTPUT "${file}" @ONLY CONTENT [=[
"""What this package is called outside of Python; written by its build (add_ge_python_modules)."""

__all__ = ["DISTRIBUTION", "EXTENSIONS", "PROGRAM"]

DISTRIBUTION = "@ARG_DISTRIBUTION@"
PROGRAM = "@ARG_PROGRAM@"
# Native modules that are imported with `ir`.
EXTENSIONS: tuple[str, ...] = (@extensions@)
]=])
endfunction()

function(add_ge_python_modules target)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" 
    "ROOT_PREFIX;INSTALL_PREFIX;PREFIX;DOMAIN;COMMON_CAPI_LINK_LIBS;DISTRIBUTION;PROGRAM"
    "DECLARED_SOURCES")
  _ge_check_groups(${ARG_DECLARED_SOURCES})
  if(NOT ARG_PREFIX MATCHES "^([A-Za-z_][A-Za-z0-9_.]*)\\._mlir_like$")
    message(FATAL_ERROR "PREFIX is '<package>._mlir_like', not '${ARG_PREFIX}'")
  endif()
  set(package "${CMAKE_MATCH_1}")
  # The directory from which `import <package>` works: one step up per component of the package.
  set(python_path "${ARG_ROOT_PREFIX}")
  string(REPLACE "." ";" components "${package}")
  foreach(component IN LISTS components)
    cmake_path(GET python_path PARENT_PATH python_path)
  endforeach()

  add_custom_target(${target} ALL DEPENDS ${ARG_COMMON_CAPI_LINK_LIBS})
  _ge_flatten(leaves ${ARG_DECLARED_SOURCES})
  set(modules "")
  set(public "")
  foreach(leaf IN LISTS leaves)
    get_target_property(type ${leaf} ge_python_TYPE)
    get_target_property(files ${leaf} ge_python_FILES)
    if(type STREQUAL "pure")
      get_target_property(root ${leaf} ge_python_ROOT_DIR)
      # Removes links to deleted files, so that their modules cannot be imported.
      file(GLOB_RECURSE links "${ARG_ROOT_PREFIX}/*.py" "${ARG_ROOT_PREFIX}/*.pyi")
      foreach(link IN LISTS links)
        if(IS_SYMLINK "${link}" AND NOT EXISTS "${link}")
          file(REMOVE "${link}")
        endif()
      endforeach()
      if(NOT package STREQUAL "ge")
        list(REMOVE_ITEM files _mlir_like/_site.py)
      endif()
      foreach(file IN LISTS files)
        cmake_path(GET file PARENT_PATH directory)
        file(MAKE_DIRECTORY "${ARG_ROOT_PREFIX}/${directory}")
        # Links, so that an edited file is at once the one that tests import.
        file(CREATE_LINK "${root}/${file}" "${ARG_ROOT_PREFIX}/${file}" SYMBOLIC COPY_ON_ERROR)
        install(FILES "${root}/${file}" DESTINATION "${ARG_INSTALL_PREFIX}/${directory}"
          COMPONENT GEPython)
      endforeach()
    elseif(type STREQUAL "extension")
      get_target_property(module_name ${leaf} ge_python_MODULE_NAME)
      get_target_property(public_module ${leaf} ge_python_PUBLIC_MODULE)
      get_target_property(link_libs ${leaf} ge_python_LINK_LIBS)
      set(module ${target}.${module_name})
      set(sources ${files})
      list(LENGTH files count)
      if(GE_PREBUILT_OBJECTS AND package STREQUAL "ge")
        # Modules of another package are compiled with its name and domain.
        _ge_prebuilt_objects(sources ${module}.objects.txt)
        set(count 0)
      endif()
      # NOMINSIZE: the modules are the hot path of every Python call, nanobind's default is -Os.
      # NB_SUPPRESS_WARNINGS: nanobind's headers are not ours to lint.
      nanobind_add_module(${module} BACKEND_MODULE nanobind_backend NB_DOMAIN ${ARG_DOMAIN}
        NOMINSIZE NB_SUPPRESS_WARNINGS ${sources})
      if(count)
        _ge_unity_groups(${files})
        # For GE_PREBUILT_OBJECTS of other trees.
        file(GENERATE OUTPUT "${CMAKE_BINARY_DIR}/${module}.objects.txt"
          CONTENT "$<JOIN:$<TARGET_OBJECTS:${module}>,\n>\n")
        set_target_properties(${module} PROPERTIES UNITY_BUILD "${GE_UNITY_BUILD}" UNITY_BUILD_MODE GROUP)
      endif()
      if(GE_PRECOMPILED_HEADERS AND count GREATER 4)
        target_precompile_headers(${module} PRIVATE
          <nanobind/nanobind.h> <nanobind/stl/string.h> <array> <memory> <string> <vector>)
      endif()
      target_link_libraries(${module} PRIVATE ${ARG_COMMON_CAPI_LINK_LIBS})
      if(link_libs)
        target_link_libraries(${module} PRIVATE ${link_libs})
      endif()
      target_compile_features(${module} PRIVATE cxx_std_20)
      if(UNIX AND NOT APPLE)
        # A module that calls nothing of libc has no entry for it, and auditwheel then cannot tell what the wheel needs.
        target_link_options(${module} PRIVATE LINKER:--no-as-needed)
        target_link_libraries(${module} PRIVATE c)
      endif()
      set(home "${package}.${public_module}")
      if(NOT public_module)
        set(home "${ARG_PREFIX}._ge.${module_name}")
      endif()
      target_compile_definitions(${module} PRIVATE
        GE_PYTHON_PACKAGE="${package}"
        GE_PYTHON_PREFIX="${ARG_PREFIX}"
        GE_PYTHON_PUBLIC_MODULE="${home}")
      set_target_properties(${module} PROPERTIES
        OUTPUT_NAME ${module_name}
        LIBRARY_OUTPUT_DIRECTORY "${ARG_ROOT_PREFIX}/_mlir_like/_ge"
        BUILD_RPATH_USE_ORIGIN ON
        # The C library lies in the same directory, wherever the wheel is unpacked.
        INSTALL_RPATH "$ORIGIN")
      install(TARGETS ${module} LIBRARY DESTINATION "${ARG_INSTALL_PREFIX}/_mlir_like/_ge"
        COMPONENT GEPython)
      add_dependencies(${target} ${module})
      list(APPEND modules ${module})
      if(public_module)
        list(APPEND public ${public_module})
        get_target_property(patterns_${public_module} ${leaf} ge_python_STUB_PATTERNS)
        get_target_property(stub_name_${public_module} ${leaf} ge_python_STUB_NAME)
      endif()
    endif()
  endforeach()

  if(NOT package STREQUAL "ge")
    # Modules of ours are imported by the Python files that need them.
    set(extensions "")
    foreach(leaf IN LISTS leaves)
      get_target_property(module_name ${leaf} ge_python_MODULE_NAME)
      if(module_name AND NOT leaf MATCHES "^GEPythonExtension\\.")
        list(APPEND extensions ${module_name})
      endif()
    endforeach()
    set(site "${ARG_ROOT_PREFIX}/_mlir_like/_site.py")
    set(given "")
    foreach(option IN ITEMS DISTRIBUTION PROGRAM)
      if(ARG_${option})
        list(APPEND given ${option} "${ARG_${option}}")
      endif()
    endforeach()
    _ge_write_site(${package} "${site}" ${given} EXTENSIONS ${extensions})
    install(FILES "${site}" DESTINATION "${ARG_INSTALL_PREFIX}/_mlir_like" COMPONENT GEPython)
  endif()

  if(GE_PYTHON_STUBS)
    # From the public module: the stub lies beside the file that users import. Generated in the build
    # and not committed, because the bindings are then its only source.
    foreach(module IN LISTS public)
      string(REPLACE "." "/" stub "${module}")
      if(EXISTS "${ARG_ROOT_PREFIX}/${stub}/__init__.py")
        # Type checkers read its Python files, but for the one that the stub stands for.
        if(NOT stub_name_${module})
          set(stub_name_${module} _native)
        endif()
        string(APPEND stub "/${stub_name_${module}}")
      endif()
      string(APPEND stub ".pyi")
      cmake_path(GET stub PARENT_PATH directory)
      if(GE_PYTHON_STUBS_FROM)
        install(FILES "${GE_PYTHON_STUBS_FROM}/${stub}" DESTINATION "${ARG_INSTALL_PREFIX}/${directory}"
          COMPONENT GEPython)
        continue()
      endif()
      set(patterns "")
      if(patterns_${module})
        # First what the bindings say themselves: the signatures of slot functions.
        set(signatures "${CMAKE_CURRENT_BINARY_DIR}/${target}.${module}.pat")
        set(script "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/stub_patterns.py")
        add_custom_command(OUTPUT "${signatures}"
          COMMAND "${Python_EXECUTABLE}" "${script}" "${python_path}" ${package} ${module} "${signatures}"
          DEPENDS "${script}" ${modules} ${ARG_COMMON_CAPI_LINK_LIBS}
          VERBATIM)
        set(patterns PATTERN_FILE "${signatures}" "${patterns_${module}}")
      endif()
      nanobind_add_stub(${target}.${module}.stub ${patterns}
        MODULE ${package}.${module}
        OUTPUT "${ARG_ROOT_PREFIX}/${stub}"
        PYTHON_PATH "${python_path}"
        DEPENDS ${modules} ${ARG_COMMON_CAPI_LINK_LIBS})
      install(FILES "${ARG_ROOT_PREFIX}/${stub}" DESTINATION "${ARG_INSTALL_PREFIX}/${directory}"
        COMPONENT GEPython)
    endforeach()
  endif()
endfunction()
