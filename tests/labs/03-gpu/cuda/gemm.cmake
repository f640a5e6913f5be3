# The matmul ladders. On the processor a thread stands for each of CUDA's: under emulation, and where programs are built for
# another machine, that takes too long, and would show nothing more.
if(NOT CMAKE_CROSSCOMPILING)
  add_executable(test-03-gemm main.cpp test_sgemm.cpp test_bf16_layout.cpp test_bf16_gemm.cpp)
  target_include_directories(test-03-gemm PRIVATE ${PROJECT_SOURCE_DIR}/labs/03-gpu/cuda)
  target_link_libraries(test-03-gemm PRIVATE matmul doctest::doctest Threads::Threads)
  target_compile_options(test-03-gemm PRIVATE -Wall -Wextra -Wno-unknown-pragmas)  # nvcc knows them
  set_target_properties(test-03-gemm PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
  add_test(NAME 03-gemm COMMAND test-03-gemm)
  set_tests_properties(03-gemm PROPERTIES LABELS lab-03 TIMEOUT 300)
endif()

if(hardware_first_cuda)
  add_executable(test-03-gemm-device main.cpp test_gemm_device.cu)
  target_include_directories(test-03-gemm-device PRIVATE ${PROJECT_SOURCE_DIR}/labs/03-gpu/cuda)
  target_link_libraries(test-03-gemm-device PRIVATE gpu matmul doctest::doctest)
  set_target_properties(test-03-gemm-device PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
  add_test(NAME 03-gemm-device COMMAND test-03-gemm-device)
  set_tests_properties(03-gemm-device PROPERTIES LABELS lab-03 TIMEOUT 300)
endif()
