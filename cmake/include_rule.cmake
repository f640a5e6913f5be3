# cmake -DLABS=labs -P include_rule.cmake: which rooms may include which. A lab includes its own folder, harness/, common/
# and, of the labs before it, what they are about: kernels/ and check/. What is common knows of no lab, and the instrument
# knows only itself and the record.
file(GLOB_RECURSE sources RELATIVE ${LABS} ${LABS}/*.cpp ${LABS}/*.hpp ${LABS}/*.cu ${LABS}/*.cuh)
set(broken "")
foreach(source IN LISTS sources)
  string(REGEX MATCH "^[^/]+" room ${source})
  file(STRINGS ${LABS}/${source} includes REGEX "^#include \"(common|[0-9][0-9]-[a-z0-9-]+)/")
  foreach(include IN LISTS includes)
    string(REGEX REPLACE "^#include \"([^\"]+)\".*" "\\1" file "${include}")
    string(REGEX MATCH "^[^/]+" of ${file})
    if(of STREQUAL room OR (of STREQUAL "common" AND room MATCHES "^[0-9]"))
      continue()
    endif()
    if(NOT (room MATCHES "^[0-9]" AND of STRLESS room AND file MATCHES "^[^/]+/(kernels|check)/"))
      string(APPEND broken "labs/${source} includes ${file}\n")
    endif()
  endforeach()
endforeach()
if(broken)
  message(FATAL_ERROR "${broken}A lab includes its own folder, harness/, common/ and an earlier lab's kernels/ and check/: "
          "move what it needs there.")
endif()
