// Chapter 06, precision and sparsity. bench/ has one function for each step, in the order of the chapter:
//
//   formats.cpp      measure_formats       quantisation error of each format
//   gemv.cpp         measure_gemv          matrix times vector, whose time depends on the matrix's bytes
//   model.cpp        measure_decode        a language model that writes, in every format, and reads a prompt; llama.cpp
//                    measure_large_decode  a model with a billion weights, in two formats
//   units.cpp        measure_units         products in int8 and bf16, compared with fp32 and oneDNN, and those of a prompt
//   accuracy.cpp     measure_accuracy      accuracy of the language model, against its speed
//   sums.cpp         measure_sums          errors of ways to add up many small numbers
//   training.cpp     measure_training      a network trained in 32, 16 and 8 bits
//   sparsity.cpp     measure_sparsity      matrices that store no zeros
#include "harness/report/lab.hpp"

#include "06-precision/bench/steps.hpp"

int main(int argc, char** argv) {
  using namespace hf::precision;
  const hf::LabInfo info = {.id = "06-precision",
                            .title = "Precision and sparsity",
                            .steps = {{"formats", measure_formats, 0.5, 1},
                                      {"GEMV", measure_gemv, 3, 18},
                                      {"decode", measure_decode, 5, 28, {"GEMV"}},
                                      {"large model", measure_large_decode, 0, 38, {"GEMV"}},
                                      {"units", measure_units, 0.7, 14},
                                      {"accuracy", measure_accuracy, 2, 8},
                                      {"sums", measure_sums, 0.5, 2},
                                      {"training", measure_training, 5, 25},
                                      {"sparsity", measure_sparsity, 1.5, 10, {"GEMV"}}}};
  return hf::run_lab(info, argc, argv);
}
