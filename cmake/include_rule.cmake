# cmake -DLABS=labs -P include_rule.cmake: checks which folders include which. A lab may include its own folder, harness/,
# kit/, and kernels/ and check/ of earlier labs. kit/ may include no lab, yours/ only kit/ and the instrument, and
# the instrument only itself and the record, the record of the instrument only measure/. measure/ may not include code that
# prints, checks or writes, so that changing that code ages no record.
file(GLOB_RECURSE sources RELATIVE ${LABS} ${LABS}/*.cpp ${LABS}/*.hpp ${LABS}/*.cu ${LABS}/*.cuh)
set(broken "")
foreach(source IN LISTS sources)
  string(REGEX MATCH "^[^/]+" room ${source})
  file(STRINGS ${LABS}/${source} includes REGEX "^#include \"(kit|harness|record|[0-9][0-9]-[a-z0-9-]+)/")
  foreach(include IN LISTS includes)
    string(REGEX REPLACE "^#include \"([^\"]+)\".*" "\\1" file "${include}")
    string(REGEX MATCH "^[^/]+" of ${file})
    if(of MATCHES "^(harness|record)$")
      if((source MATCHES "^harness/(measure|machine)/" AND file MATCHES "^(harness/report|record)/") OR
         (room STREQUAL "record" AND file MATCHES "^harness/(report|machine)/"))
        string(APPEND broken "labs/${source} includes ${file}\n")
      endif()
      continue()
    endif()
    if(of STREQUAL room OR (of STREQUAL "kit" AND room MATCHES "^([0-9]|yours$)"))
      continue()
    endif()
    if(NOT (room MATCHES "^[0-9]" AND of STRLESS room AND file MATCHES "^[^/]+/(kernels|check)/"))
      string(APPEND broken "labs/${source} includes ${file}\n")
    endif()
  endforeach()
endforeach()
if(broken)
  message(FATAL_ERROR "${broken}A lab includes its own folder, harness/, kit/ and an earlier lab's kernels/ and check/, and "
          "harness/measure/ and harness/machine/ nothing of harness/report/ and record/, and record/ only harness/measure/: "
          "move what is needed there.")
endif()
