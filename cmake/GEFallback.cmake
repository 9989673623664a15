# What ge/_mlir_like/_fallback.py builds where no prebuilt native module fits: _fallback.json, the list of sources and
# flags. One for the build tree, which names this tree's sources, and one for the wheel, whose sources lie in ge/_sdk/src.
# Everything is read from the targets, so that there is no second list of sources.

# A JSON array of paths relative to the sources.
function(_ge_json_sources out)
  set(items "")
  foreach(file IN LISTS ARGN)
    cmake_path(RELATIVE_PATH file BASE_DIRECTORY "${GE_SOURCE_ROOT}")
    list(APPEND items "\"${file}\"")
  endforeach()
  list(SORT items)
  list(JOIN items ", " items)
  set(${out} "[${items}]" PARENT_SCOPE)
endfunction()

get_property(core GLOBAL PROPERTY GE_ROOM_SOURCES)
_ge_json_sources(core ${core})
get_target_property(files GEPythonBridge SOURCES)
_ge_json_sources(bridge ${files})
get_target_property(library GECore OUTPUT_NAME)

set(modules "")
_ge_flatten(leaves GEPythonSources GEPython.Core GEPython.Ops GEPython.Passes)
foreach(leaf IN LISTS leaves)
  get_target_property(type ${leaf} ge_python_TYPE)
  if(NOT type STREQUAL "extension")
    continue()
  endif()
  get_target_property(name ${leaf} ge_python_MODULE_NAME)
  get_target_property(home ${leaf} ge_python_PUBLIC_MODULE)
  if(NOT home)
    set(home "_mlir_like._ge.${name}")
  endif()
  get_target_property(files ${leaf} ge_python_FILES)
  _ge_json_sources(files ${files})
  list(APPEND modules "    \"${name}\": {\"home\": \"${home}\", \"sources\": ${files}}")
endforeach()
list(JOIN modules ",\n" modules)

file(STRINGS include/ge-c/Support.h abi REGEX "#define GE_C_ABI_VERSION ")
string(REGEX MATCH "[0-9]+" abi "${abi}")

# The wheel's nanobind: its sources and its licence, for platforms that nanobind-backend has no wheel for.
cmake_path(GET nanobind_DIR PARENT_PATH nanobind_root)
execute_process(
  COMMAND "${Python_EXECUTABLE}" -c "import importlib.metadata as m
print(next(str(f.locate()) for f in m.files('nanobind') if f.name.upper().startswith('LICENSE')))"
  OUTPUT_VARIABLE nanobind_licence OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE status ERROR_QUIET)

# _ge_write_fallback(<file> <sources> <nanobind>)
function(_ge_write_fallback file root nanobind)
  file(CONFIGURE OUTPUT "${file}" @ONLY CONTENT [=[
{
  "package": "ge",
  "domain": "ge",
  "version": "@PROJECT_VERSION@",
  "abi": @abi@,
  "root": "@root@",
  "nanobind": "@nanobind@",
  "flags": ["-std=c++20", "-O2", "-DNDEBUG", "-fPIC", "-fvisibility=hidden", "-fno-plt"],
  "library": {
    "file": "lib@library@.so",
    "script": "lib/CAPI/exports.map",
    "literals": {"cann_ops.inc": "lib/Ops/Registry/cann_ops.schema", "onnx_ops.inc": "lib/Ops/Registry/onnx_ops.table"},
    "sources": @core@
  },
  "bridge": {"file": "libge_python_bridge.so", "sources": @bridge@},
  "modules": {
@modules@
  }
}
]=])
endfunction()

_ge_write_fallback("${GE_PYTHON_TREE}/_mlir_like/_fallback.json" "${GE_SOURCE_ROOT}" "${nanobind_root}")
_ge_write_fallback("${CMAKE_CURRENT_BINARY_DIR}/_fallback.json" "../_sdk/src" "../_sdk/src/nanobind")
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/_fallback.json" DESTINATION ge/_mlir_like COMPONENT GEPython)
install(DIRECTORY "${nanobind_root}/include" "${nanobind_root}/src" DESTINATION ge/_sdk/src/nanobind
  COMPONENT GEPython FILES_MATCHING PATTERN "*.h" PATTERN "*.cpp")
install(DIRECTORY "${nanobind_root}/ext/robin_map/include" DESTINATION ge/_sdk/src/nanobind/ext/robin_map
  COMPONENT GEPython)
if(status EQUAL 0)
  install(FILES "${nanobind_licence}" DESTINATION ge/_sdk/src/nanobind COMPONENT GEPython)
endif()
