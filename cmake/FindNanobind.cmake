# Finds nanobind's package by asking the interpreter: it lives in the Python environment, which no
# CMake search path knows. Sets GE_ROBIN_MAP_INCLUDE_DIR: the core uses the hash map that comes inside.
if(NOT Python_EXECUTABLE)
  find_package(Python 3.10 REQUIRED COMPONENTS Interpreter)
endif()
if(NOT nanobind_DIR)
  execute_process(
    COMMAND "${Python_EXECUTABLE}" -m nanobind --cmake_dir
    OUTPUT_VARIABLE nanobind_DIR OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "nanobind 3 is missing: ${Python_EXECUTABLE} -m pip install nanobind")
  endif()
endif()
if(GE_PYTHON_BINDINGS)
  find_package(nanobind 3.1 CONFIG REQUIRED)
endif()
cmake_path(SET GE_ROBIN_MAP_INCLUDE_DIR NORMALIZE "${nanobind_DIR}/../ext/robin_map/include")
