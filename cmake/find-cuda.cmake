# Whether this build measures an NVIDIA GPU. Included at the top level, because a language must be enabled above every target
# that links it. Sets hardware_first_cuda; if true, enables CUDA and finds the toolkit's libraries.
#
# AUTO leaves out CUDA where it is useless: in a program for another machine (which would need the libraries of this
# machine's toolkit), with a sanitizer (which needs the addresses that the driver reserves), and with a compiler other than
# GNU (the gate has compiled the GPU's part with GNU by then, and nvcc is slow).
set(HARDWARE_FIRST_CUDA AUTO CACHE STRING "what runs on an NVIDIA GPU: ON, OFF, or AUTO where CUDA is found")
set_property(CACHE HARDWARE_FIRST_CUDA PROPERTY STRINGS AUTO ON OFF)

# cuda_is_of_use(to): whether AUTO looks for CUDA at all.
function(cuda_is_of_use to)
  set(${to} TRUE PARENT_SCOPE)
  if(CMAKE_CROSSCOMPILING OR PRESS_MARCH STREQUAL "" OR CMAKE_CXX_FLAGS MATCHES "-fsanitize"
     OR NOT CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    set(${to} FALSE PARENT_SCOPE)
  endif()
endfunction()

# gpus_present(to): the compute capabilities of the GPUs present, without the dot: 90 for 9.0.
function(gpus_present to)
  execute_process(COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader
                  OUTPUT_VARIABLE said ERROR_QUIET RESULT_VARIABLE status)
  set(found "")
  if(status EQUAL 0)
    string(REGEX MATCHALL "[0-9]+\\.[0-9]" found "${said}")
    list(TRANSFORM found REPLACE "\\." "")
    list(REMOVE_DUPLICATES found)
  endif()
  set(${to} "${found}" PARENT_SCOPE)
endfunction()

# gpu_architectures(to): the architectures of the GPUs present that can run kernels, else those of a T4, an A100 and an H100.
# Hopper's own instructions (TMA, WGMMA) exist only in 90a. CUDA 13 compiles for nothing older than 75.
set(new_enough "^(75|[89][0-9]|1[0-9][0-9])$")
function(gpu_architectures to)
  gpus_present(found)
  list(FILTER found INCLUDE REGEX "${new_enough}")
  list(TRANSFORM found REPLACE "^90$" "90a")
  if(NOT found)
    set(found 75 80 90a)
  endif()
  set(${to} "${found}" PARENT_SCOPE)
endfunction()

# gpus_too_old(to): the compute capabilities of the GPUs present, if none of them can run the kernels; else empty.
function(gpus_too_old to)
  gpus_present(found)
  foreach(capability IN LISTS found)
    if(capability MATCHES "${new_enough}")
      set(found "")
    endif()
  endforeach()
  string(REGEX REPLACE "([0-9])(;|$)" ".\\1\\2" found "${found}")
  string(REPLACE ";" " and " found "${found}")
  set(${to} "${found}" PARENT_SCOPE)
endfunction()

# find_cuda(why): `why` is empty when CUDA 12 or later and cuBLAS were found; else what is missing.
macro(find_cuda why)
  set(${why} "")
  if(NOT CMAKE_CUDA_COMPILER)  # nvcc may have been installed since the last time
    unset(CMAKE_CUDA_COMPILER CACHE)
    find_program(HARDWARE_FIRST_NVCC nvcc PATHS /usr/local/cuda/bin)
    mark_as_advanced(HARDWARE_FIRST_NVCC)
    if(HARDWARE_FIRST_NVCC AND NOT DEFINED ENV{CUDACXX})
      set(ENV{CUDACXX} ${HARDWARE_FIRST_NVCC})
    endif()
    if(HARDWARE_FIRST_NVCC OR DEFINED ENV{CUDACXX})
      include(CheckLanguage)
      check_language(CUDA)
    endif()
  endif()
  if(NOT CMAKE_CUDA_COMPILER)
    set(${why} "no CUDA compiler that works (nvcc)")
  else()
    find_package(CUDAToolkit 12 QUIET)
    if(NOT CUDAToolkit_FOUND)
      set(${why} "no CUDA toolkit of version 12 or later")
    elseif(NOT TARGET CUDA::cublas OR NOT TARGET CUDA::cublasLt)
      set(${why} "no cuBLAS in the CUDA toolkit")
    endif()
  endif()
endmacro()

set(hardware_first_cuda FALSE)
if(HARDWARE_FIRST_CUDA STREQUAL AUTO)
  cuda_is_of_use(looks)
else()
  set(looks ${HARDWARE_FIRST_CUDA})
endif()
if(looks)
  find_cuda(missing)
  if(NOT missing AND HARDWARE_FIRST_CUDA STREQUAL AUTO)
    gpus_too_old(old)
    if(old)  # nvcc would compile for minutes what this machine can't run; a machine without a GPU compiles it to check it
      set(missing "only a GPU of compute capability ${old}, and CUDA 13 compiles for 7.5 and newer")
    endif()
  endif()
  if(NOT missing)
    if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
      gpu_architectures(architectures)
      set(CMAKE_CUDA_ARCHITECTURES "${architectures}" CACHE STRING "GPUs that the CUDA sources are compiled for")
    endif()
    enable_language(CUDA)
    if(NOT DEFINED CMAKE_CUDA20_STANDARD_COMPILE_OPTION)  # CMake 3.25 does not know that nvcc 12 and 13 can
      set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
      set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
    endif()
    set(CMAKE_CUDA_FLAGS_RELEASE "-O3 -DNDEBUG")
    set(hardware_first_cuda TRUE)
    message(STATUS "CUDA ${CMAKE_CUDA_COMPILER_VERSION} for ${CMAKE_CUDA_ARCHITECTURES}")
  elseif(HARDWARE_FIRST_CUDA)
    if(NOT HARDWARE_FIRST_CUDA STREQUAL AUTO)
      message(FATAL_ERROR "HARDWARE_FIRST_CUDA=${HARDWARE_FIRST_CUDA}: there is ${missing}; install CUDA 12 or 13 with cuBLAS, or set CUDACXX to its nvcc")
    endif()
    message(STATUS "Without CUDA: ${missing}")
  endif()
endif()
