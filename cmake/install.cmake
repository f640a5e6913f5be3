# The parts of which other books are made, as a CMake package: `tools/build press && cmake --install build --prefix FOLDER`,
# then, in the book's CMakeLists.txt, find_package(Press) and add_lab(). See examples/README.md.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)
set(press_folder ${CMAKE_INSTALL_LIBDIR}/cmake/Press)

add_custom_target(press DEPENDS samples machine harness record_format record)  # all that is installed, and no lab of this book

install(TARGETS samples machine harness record_format EXPORT press ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS record EXPORT press RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY labs/harness labs/record DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/press FILES_MATCHING PATTERN *.hpp)
install(FILES cmake/add_lab.cmake cmake/PressConfig.cmake labs/harness/report/lab_texts.cpp.in DESTINATION ${press_folder})
install(PROGRAMS tools/keep-dependencies DESTINATION ${press_folder})
install(EXPORT press FILE PressTargets.cmake NAMESPACE Press:: DESTINATION ${press_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/PressConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/PressConfigVersion.cmake DESTINATION ${press_folder})
