// Chapter 06, precision and sparsity. One function for each step, in the order of the chapter, in bench/:
//
//   formats.cpp      measure_formats     what does a number lose in so few bits?
//   gemv.cpp         measure_gemv        a product of a matrix and a vector takes as long as its bytes
//   model.cpp        measure_decode      a language model writes, in every format, and against llama.cpp
//                    measure_large_decode   and one of a billion weights, in two formats
//   units.cpp        measure_units       int8 and bf16 on the units made for them
//   accuracy.cpp     measure_accuracy    what does the language model lose, and for which speed?
//   sums.cpp         measure_sums        many small numbers, one sum
//   training.cpp     measure_training    a network learns in 32, 16 and 8 bits
//   sparsity.cpp     measure_sparsity    numbers that are not there at all
#include "harness/report/lab.hpp"

#include "06-precision/bench/steps.hpp"

int main(int argc, char** argv) {
  using namespace hf::precision;
  const hf::LabInfo info = {.id = "06-precision",
                            .title = "Precision and sparsity",
                            .steps = {{"formats", measure_formats, 0.5, 1},
                                      {"GEMV", measure_gemv, 3, 18},
                                      {"decode", measure_decode, 4, 20, {"GEMV"}},
                                      {"large model", measure_large_decode, 0, 25, {"GEMV"}},
                                      {"units", measure_units, 3, 15},
                                      {"accuracy", measure_accuracy, 2, 8},
                                      {"sums", measure_sums, 0.5, 2},
                                      {"training", measure_training, 5, 25},
                                      {"sparsity", measure_sparsity, 2, 12, {"GEMV"}}}};
  return hf::run_lab(info, argc, argv);
}
