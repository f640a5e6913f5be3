# The parts of which other books are made, as a CMake package: `tools/build press && cmake --install build --prefix FOLDER`,
# then, in the book's CMakeLists.txt, find_package(Press) and add_lab(). See examples/README.md.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)
set(press_folder ${CMAKE_INSTALL_LIBDIR}/cmake/Press)

# The archives' folder also lists the measuring sources in them: the part that counts for the keys of other books' records.
file(GLOB measure CONFIGURE_DEPENDS labs/harness/measure/*)
add_custom_command(OUTPUT instrument.json VERBATIM
  COMMAND ${CMAKE_CROSSCOMPILING_EMULATOR} $<TARGET_FILE:record> instrument --root ${PROJECT_SOURCE_DIR}
          --build ${PROJECT_BINARY_DIR} --output instrument.json
  COMMAND ${CMAKE_COMMAND} -E touch instrument.json
  DEPENDS record ${measure} ${PROJECT_BINARY_DIR}/compile_commands.json)
# All that is installed, and no lab of this book.
add_custom_target(press ALL DEPENDS samples machine harness record_format record instrument.json)

install(TARGETS samples machine harness record_format EXPORT press ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}/press)
install(FILES ${PROJECT_BINARY_DIR}/instrument.json DESTINATION ${CMAKE_INSTALL_LIBDIR}/press)
install(TARGETS record EXPORT press RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY labs/harness labs/record DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/press FILES_MATCHING PATTERN *.hpp)
install(FILES cmake/add_lab.cmake cmake/PressConfig.cmake labs/harness/report/lab_texts.cpp.in DESTINATION ${press_folder})
install(PROGRAMS tools/keep-dependencies DESTINATION ${press_folder})
install(EXPORT press FILE PressTargets.cmake NAMESPACE Press:: DESTINATION ${press_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/PressConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/PressConfigVersion.cmake DESTINATION ${press_folder})
