# Whether this build can run ranks as processes (chapter 05). Sets hardware_first_mpi; if true, finds MPI.
#
# AUTO leaves out MPI in a program for another machine, whose MPI may differ from this one's, and with a sanitizer, which
# would report Open MPI's own leaks.
set(HARDWARE_FIRST_MPI AUTO CACHE STRING "ranks that are processes: ON, OFF, or AUTO where MPI is found")
set_property(CACHE HARDWARE_FIRST_MPI PROPERTY STRINGS AUTO ON OFF)

set(hardware_first_mpi FALSE)
if(NOT HARDWARE_FIRST_MPI STREQUAL AUTO)
  set(looks ${HARDWARE_FIRST_MPI})
elseif(CMAKE_CROSSCOMPILING OR CMAKE_CXX_FLAGS MATCHES "-fsanitize")
  set(looks FALSE)
else()
  set(looks TRUE)
endif()
if(looks)
  set(MPI_CXX_SKIP_MPICXX TRUE)  # only the C functions are used
  find_package(MPI 3 QUIET COMPONENTS CXX)
  if(MPI_CXX_FOUND)
    set(hardware_first_mpi TRUE)
  elseif(HARDWARE_FIRST_MPI STREQUAL AUTO)
    message(STATUS "Without MPI: none of version 3 or later found")
  else()
    message(FATAL_ERROR "HARDWARE_FIRST_MPI=${HARDWARE_FIRST_MPI}: there is no MPI of version 3 or later; install libopenmpi-dev and openmpi-bin")
  endif()
endif()
