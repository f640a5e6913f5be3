# find_package(Press): the instrument, the record tool, and add_lab(), which makes a lab of a folder labs/NN-slug of the project.
include(CMakeFindDependencyMacro)
find_dependency(nlohmann_json 3.11)
find_dependency(Threads)
include(${CMAKE_CURRENT_LIST_DIR}/PressTargets.cmake)

# Labs are compiled like this book's, unless the project says something else.
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O3 -DNDEBUG")
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)  # `record inputs` reads them
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
if(NOT DEFINED PRESS_MARCH)
  set(PRESS_MARCH native)
endif()

set(press_templates ${CMAKE_CURRENT_LIST_DIR})
set(press_keep_dependencies ${CMAKE_CURRENT_LIST_DIR}/keep-dependencies)
include(${CMAKE_CURRENT_LIST_DIR}/add_lab.cmake)
