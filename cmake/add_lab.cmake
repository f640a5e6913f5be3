# add_lab() and what it needs, for this book and, installed, for any other (PressConfig.cmake). Uses press_templates, the folder of
# lab_texts.cpp.in, press_keep_dependencies, the program of that name, and the targets Press::harness and Press::record.

# The instruction set that a lab's own code may use.
set(march_flag "")
if(PRESS_MARCH)
  set(march_flag -march=${PRESS_MARCH})
endif()

# Other linkers' maps do not name all that a lab was linked from (`record inputs`). A later -fuse-ld overrides an earlier one.
foreach(flags IN LISTS CMAKE_EXE_LINKER_FLAGS CMAKE_CXX_FLAGS CMAKE_LINKER_TYPE)
  string(REGEX MATCHALL "-fuse-ld=[^ ]*|--ld-path=[^ ]*|GOLD|LLD|MOLD" linkers "-fuse-ld=bfd ${flags}")
  list(POP_BACK linkers linker)
  if(NOT linker STREQUAL "-fuse-ld=bfd")
    message(FATAL_ERROR "${linker}: expected GNU ld, whose map lists a lab's inputs; remove it from LDFLAGS or CXXFLAGS, "
                        "then rm build/CMakeCache.txt")
  endif()
endforeach()

# The list of files that each object file was made from is kept beside it, for the keys of the labs' records.
set(CMAKE_CXX_COMPILER_LAUNCHER ${press_keep_dependencies} ${CMAKE_CXX_COMPILER_LAUNCHER})
set(CMAKE_CUDA_COMPILER_LAUNCHER ${press_keep_dependencies} ${CMAKE_CUDA_COMPILER_LAUNCHER})

# untimed(file…): marks those of the target's sources that contain no timed loop: they prepare, call kernels compiled elsewhere,
# and fill the record. This cuts their compile time by a third.
function(untimed)
  set_property(SOURCE ${ARGN} APPEND PROPERTY COMPILE_OPTIONS $<$<CONFIG:Release>:-O1>)
endfunction()

# embed_texts(target folder): embeds a lab's data in its program: its id, which is the folder's name, the laws for its numbers
# (laws.json, see record/law.hpp), definitions of derived values (definitions.json, see record/reading.hpp) and its chapter's
# claims (claims.json, see record/claims.hpp).
function(embed_texts target folder)
  file(GLOB texts CONFIGURE_DEPENDS ${folder}/*.json)  # a file that is added later, too
  foreach(name IN ITEMS laws definitions claims)
    set(${name} "[]")
    if(EXISTS ${folder}/${name}.json)
      set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${folder}/${name}.json)
      file(READ ${folder}/${name}.json ${name})
    endif()
  endforeach()
  cmake_path(GET folder FILENAME id)
  cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE folder)
  configure_file(${press_templates}/lab_texts.cpp.in ${target}_texts.cpp @ONLY)
  target_sources(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/${target}_texts.cpp)
endfunction()

# add_lab(NN-slug SOURCES file… [LIBRARIES target…] [PEERS name…] [ENVIRONMENT name…])
#   Builds bin/lab-NN-slug from labs/NN-slug/, and beside it lab-NN-slug.inputs.json: the hashes of everything
#   that the measurement depends on. LIBRARIES are targets of this project, defined in the lab's own CMakeLists.txt if it has
#   one. PEERS are libraries of the system, or of Python, that the lab looks for when it runs (library_version() in
#   harness/measure/blas.hpp has their names). ENVIRONMENT lists variables whose values affect the measurement.
function(add_lab id)
  cmake_parse_arguments(PARSE_ARGV 1 lab "" "" "SOURCES;LIBRARIES;PEERS;ENVIRONMENT")
  if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${id}/CMakeLists.txt)
    add_subdirectory(${id})
  endif()
  list(TRANSFORM lab_SOURCES PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/${id}/)
  add_executable(lab-${id} ${lab_SOURCES})
  target_link_libraries(lab-${id} PRIVATE ${lab_LIBRARIES} $<TARGET_NAME_IF_EXISTS:kit> Press::harness)
  target_include_directories(lab-${id} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  target_compile_options(lab-${id} PRIVATE -Wall -Wextra ${march_flag})
  embed_texts(lab-${id} ${CMAKE_CURRENT_SOURCE_DIR}/${id})
  if(PRESS_BUNDLE)  # the bundle also contains its loader, and labs are started from the bundle's folder
    target_link_options(lab-${id} PRIVATE -s -Wl,--dynamic-linker=lib/ld.so -Wl,--disable-new-dtags)
    set_target_properties(lab-${id} PROPERTIES BUILD_RPATH $ORIGIN/../lib)
  endif()
  set_target_properties(lab-${id} PROPERTIES PEERS "${lab_PEERS}" VARIABLES "${lab_ENVIRONMENT}")
  write_inputs(lab-${id})
  set_property(GLOBAL APPEND PROPERTY PRESS_LABS ${id})
endfunction()

# write_inputs(lab): after each link of the lab, writes beside it what its measurements depend on. The linker's map names the
# object files in the lab, and the list beside each object names the files that it was made from.
function(write_inputs lab)
  string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
  string(REGEX MATCHALL " -[^ ]+" arguments "${CMAKE_CXX_COMPILER_ARG1}")  # CXX may contain flags, beside "ccache g++"
  string(JOIN " " flags ${arguments} ${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${type}} -std=c++${CMAKE_CXX_STANDARD} ${march_flag})
  string(REGEX REPLACE " +" " " flags "${flags}")
  string(STRIP "${flags}" flags)
  get_target_property(peers ${lab} PEERS)
  list(TRANSFORM peers REPLACE "(.+)" "--library=\\1=found when it runs")
  get_target_property(variables ${lab} VARIABLES)
  list(TRANSFORM variables PREPEND --environment=)
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  if(CUDA IN_LIST languages)  # code for the GPU has its own compiler
    string(JOIN " " cuda --cuda=${CMAKE_CUDA_COMPILER_VERSION} ${CMAKE_CUDA_FLAGS} ${CMAKE_CUDA_FLAGS_${type}} for
           ${CMAKE_CUDA_ARCHITECTURES})
  endif()
  target_link_options(${lab} PRIVATE -Wl,-Map=$<TARGET_FILE:${lab}>.map)
  add_custom_command(TARGET ${lab} POST_BUILD VERBATIM
    COMMAND ${CMAKE_CROSSCOMPILING_EMULATOR} $<TARGET_FILE:Press::record> inputs --root ${PROJECT_SOURCE_DIR}
            --build ${CMAKE_BINARY_DIR} --map $<TARGET_FILE:${lab}>.map --output $<TARGET_FILE:${lab}>.inputs.json
            --compiler "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}" --flags=${flags} ${peers} ${variables} ${cuda})
  if(TARGET record)
    add_dependencies(${lab} record)
  endif()
  # POST_BUILD runs when the program is linked again, so also when the tool changes.
  set_property(TARGET ${lab} APPEND PROPERTY LINK_DEPENDS $<TARGET_FILE:Press::record>)
endfunction()

# The target `labs` builds every lab.
function(add_labs)
  get_property(labs GLOBAL PROPERTY PRESS_LABS)
  list(TRANSFORM labs PREPEND lab-)
  add_custom_target(labs DEPENDS ${labs})
endfunction()
cmake_language(DEFER CALL add_labs)
