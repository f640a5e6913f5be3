// formulas: random inputs to the labs' formulas, with their results, as JSON; the tests compare them with the site's.
//   formulas SEED
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>

#include "cases.hpp"

int main(int argc, char** argv) {
  using namespace hf::formulas;
  const std::string argument = argc == 2 ? argv[1] : "";
  char* end = nullptr;
  const std::uint64_t seed = std::strtoull(argument.c_str(), &end, 10);
  if (argument.empty() || *end != '\0') {
    std::cerr << "formulas: expected a seed, a whole number\n";
    return 2;
  }
  Dice dice(seed);
  std::cout << Json{{"roofline", roofline_cases(dice)}, {"planner", planner_cases(dice)}, {"array", array_cases(dice)}}
            << "\n";
}
