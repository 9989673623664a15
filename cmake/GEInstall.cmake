# What a wheel holds besides the package: everything to build on GE from C, C++ and CMake, in ge/_sdk.
include(CMakePackageConfigHelpers)
set(sdk ge/_sdk)

install(DIRECTORY include/ge-c DESTINATION ${sdk}/include COMPONENT GEPython
  FILES_MATCHING PATTERN "*.h")
# The sources of the core and the bindings, for packages that build their own under another prefix.
install(DIRECTORY include DESTINATION ${sdk}/src COMPONENT GEPython FILES_MATCHING PATTERN "*.h")
install(DIRECTORY lib DESTINATION ${sdk}/src COMPONENT GEPython FILES_MATCHING
  PATTERN "*.cpp" PATTERN "*.h" PATTERN "*.schema" PATTERN "*.map" PATTERN "*.pat" PATTERN "CMakeLists.txt")

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
  cmake/AddGEPython.cmake cmake/FindNanobind.cmake
  DESTINATION ${sdk}/lib/cmake/GE COMPONENT GEPython)
