// The main function of every test program. A case without assertions has tested nothing, so it fails its program; a
// case that cannot run here is skipped by its decorator, and counted.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>

/// Clang's OpenMP keeps its threads' memory until the process ends: not a leak of ours.
extern "C" const char* __lsan_default_suppressions() { return "leak:libomp.so"; }

/// Archer tells the thread sanitizer what LLVM's OpenMP does, so OpenMP's own memory need not be checked; and children
/// that tests fork may start threads.
extern "C" const char* __tsan_default_options() { return "ignore_noninstrumented_modules=1 die_after_fork=0"; }

namespace {

bool every_case_asserts = true;

struct Assertions : doctest::IReporter {
  explicit Assertions(const doctest::ContextOptions&) {}
  void test_case_start(const doctest::TestCaseData& started) override { running_ = &started; }
  void test_case_end(const doctest::CurrentTestCaseStats& ended) override {
    if (ended.numAssertsCurrentTest > 0 || ended.failure_flags != 0) return;
    every_case_asserts = false;
    std::printf("%s:%u: FAILED: \"%s\" asserts nothing\n", running_->m_file.c_str(), running_->m_line,
                running_->m_name);
  }
  void report_query(const doctest::QueryData&) override {}
  void test_run_start() override {}
  void test_run_end(const doctest::TestRunStats&) override {}
  void test_case_reenter(const doctest::TestCaseData&) override {}
  void test_case_exception(const doctest::TestCaseException&) override {}
  void subcase_start(const doctest::SubcaseSignature&) override {}
  void subcase_end() override {}
  void log_assert(const doctest::AssertData&) override {}
  void log_message(const doctest::MessageData&) override {}
  void test_case_skipped(const doctest::TestCaseData&) override {}

 private:
  const doctest::TestCaseData* running_ = nullptr;
};

DOCTEST_REGISTER_LISTENER("assertions", 1, Assertions);

}  // namespace

int main(int argc, char** argv) {
  const int status = doctest::Context(argc, argv).run();
  return status == EXIT_SUCCESS && !every_case_asserts ? EXIT_FAILURE : status;
}
