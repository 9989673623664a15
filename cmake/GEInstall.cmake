# What a wheel holds besides the package: everything to build on GE from C, C++ and CMake, in ge/_sdk.
include(CMakePackageConfigHelpers)
set(sdk ge/_sdk)

install(DIRECTORY include/ge-c include/ge-python DESTINATION ${sdk}/include COMPONENT GEPython
  FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp" PATTERN "api.txt")
# For authors of kernels, over the C API; the other headers of ge/ are the core's own.
install(FILES include/ge/library.h DESTINATION ${sdk}/include/ge COMPONENT GEPython)
install(DIRECTORY include/ge/library DESTINATION ${sdk}/include/ge COMPONENT GEPython)
# Torch's names for the same, in a directory of their own: they must not hide those of torch itself.
install(DIRECTORY include/ge-torch DESTINATION ${sdk}/include COMPONENT GEPython)
install(TARGETS GEStubs ARCHIVE DESTINATION ${sdk}/lib COMPONENT GEPython)
# The sources of the core and the bindings, for packages that build their own under another prefix.
install(DIRECTORY include DESTINATION ${sdk}/src COMPONENT GEPython FILES_MATCHING
  PATTERN "*.h" PATTERN "*.hpp")
install(DIRECTORY lib DESTINATION ${sdk}/src COMPONENT GEPython FILES_MATCHING
  PATTERN "*.cpp" PATTERN "*.c" PATTERN "*.inc" PATTERN "*.h" PATTERN "*.schema" PATTERN "*.table" PATTERN "*.map" PATTERN "*.pat" PATTERN "CMakeLists.txt")

get_target_property(library_name GECore OUTPUT_NAME)
set(GE_LIBRARY_FILE "${CMAKE_SHARED_LIBRARY_PREFIX}${library_name}${CMAKE_SHARED_LIBRARY_SUFFIX}")
configure_package_config_file(cmake/GEConfig.cmake.in "${CMAKE_CURRENT_BINARY_DIR}/GEConfig.cmake"
  INSTALL_DESTINATION ${sdk}/lib/cmake/GE
  NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file("${CMAKE_CURRENT_BINARY_DIR}/GEConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES
  "${CMAKE_CURRENT_BINARY_DIR}/GEConfig.cmake"
  "${CMAKE_CURRENT_BINARY_DIR}/GEConfigVersion.cmake"
  cmake/AddGEPython.cmake cmake/FindNanobind.cmake cmake/stub_patterns.py
  DESTINATION ${sdk}/lib/cmake/GE COMPONENT GEPython)
