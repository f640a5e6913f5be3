#include "kit/peers/onednn_peer.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "harness/measure/blas.hpp"
#include "harness/measure/shared_library.hpp"
#include "harness/measure/threads.hpp"

namespace hf {
namespace {

// The interface of oneDNN 3, from dnnl.h and dnnl_types.h; version 2 creates its descriptors differently.
constexpr unsigned on_openmp = 2, on_sycl = 512;
constexpr int known_version = 3, cpu = 1, stream_in_order = 1, query_implementation = 8, query_weights = 131;
enum DataType { bf16 = 2, f32 = 3, s32 = 4, s8 = 5, u8 = 6 };
enum Layout { chosen_by_library = 1, row_major = 3 };
enum Argument { from = 1, to = 17, activations = from, product = to, weights = 33 };

using Object = void*;
using Dimensions = std::int64_t[12];
struct ArgumentOf {
  int which;
  Object memory;
};

struct Version {
  int major, minor, patch;
  const char* hash;
  unsigned cpu_runtime;
};

/// The library functions used here. Those that return int return 0 on success.
struct Library {
  const Version* (*version)();
  int (*create_engine)(Object* engine, int kind, std::size_t index);
  int (*create_stream)(Object* stream, Object engine, unsigned flags);
  int (*wait)(Object stream);
  int (*create_layout)(Object* layout, int dimensions, const Dimensions sizes, int type, int tag);
  int (*create_memory)(Object* memory, Object layout, Object engine, void* data);
  int (*plan_matmul)(Object* plan, Object engine, Object a, Object b, Object bias, Object c, Object attributes);
  int (*plan_reorder)(Object* plan, Object from, Object from_engine, Object to, Object to_engine, Object attributes);
  int (*query)(Object plan, int what, int index, void* answer);
  int (*create_primitive)(Object* primitive, Object plan);
  int (*execute)(Object primitive, Object stream, int count, const ArgumentOf* arguments);
  int (*destroy_engine)(Object), (*destroy_stream)(Object), (*destroy_layout)(Object), (*destroy_memory)(Object);
  int (*destroy_plan)(Object), (*destroy_primitive)(Object);
  void (*set_threads)(int);
  bool complete;

  Library() {
    const SharedLibrary onednn{"libdnnl.so.3", "libdnnl.so.2"}, openmp{"libgomp.so.1"};
    const auto find = [](const SharedLibrary& library, auto*& function, const char* name) {
      function = library.function<std::remove_reference_t<decltype(*function)>>(name);
      return function != nullptr;
    };
    complete =
        find(onednn, version, "dnnl_version") && version()->major == known_version &&
        find(onednn, create_engine, "dnnl_engine_create") && find(onednn, create_stream, "dnnl_stream_create") &&
        find(onednn, wait, "dnnl_stream_wait") && find(onednn, create_layout, "dnnl_memory_desc_create_with_tag") &&
        find(onednn, create_memory, "dnnl_memory_create") &&
        find(onednn, plan_matmul, "dnnl_matmul_primitive_desc_create") &&
        find(onednn, plan_reorder, "dnnl_reorder_primitive_desc_create") &&
        find(onednn, query, "dnnl_primitive_desc_query") && find(onednn, create_primitive, "dnnl_primitive_create") &&
        find(onednn, execute, "dnnl_primitive_execute") && find(onednn, destroy_engine, "dnnl_engine_destroy") &&
        find(onednn, destroy_stream, "dnnl_stream_destroy") &&
        find(onednn, destroy_layout, "dnnl_memory_desc_destroy") &&
        find(onednn, destroy_memory, "dnnl_memory_destroy") &&
        find(onednn, destroy_plan, "dnnl_primitive_desc_destroy") &&
        find(onednn, destroy_primitive, "dnnl_primitive_destroy") && find(openmp, set_threads, "omp_set_num_threads");
  }
};

const Library& library() {
  static const Library all;
  return all;
}

void check(int status, const char* what) {
  if (status != 0)
    throw std::runtime_error(std::string("oneDNN: ") + what + " failed, status " + std::to_string(status));
}

/// An object of the library that is destroyed with its last owner.
using Owned = std::shared_ptr<void>;

template <class... Parameters>
Owned create(int (*function)(Object*, Parameters...), const char* name, int (*destroy)(Object),
             std::type_identity_t<Parameters>... arguments) {
  Object made = nullptr;
  check(function(&made, arguments...), name);
  return {made, destroy};
}

Owned create_layout(std::size_t rows, std::size_t columns, int type, Layout layout) {
  const Dimensions sizes = {static_cast<std::int64_t>(rows), static_cast<std::int64_t>(columns)};
  return create(library().create_layout, "dnnl_memory_desc_create_with_tag", library().destroy_layout, 2, sizes, type,
                layout);
}

/// The processor as an engine. PyPI's onednn 2026 (3.13) runs on SYCL, which finds the processor through OpenCL. Its
/// loader reads /etc/OpenCL/vendors, but pip puts that file into the environment's own etc, so without its library's
/// name SYCL finds no processor, and the engine fails with status 2. (dnnl_sgemm in chapter 02 needs no engine.)
Owned create_engine() {
  if (library().version()->cpu_runtime == on_sycl) setenv("OCL_ICD_FILENAMES", "libintelocl.so", 0);
  return create(library().create_engine, "dnnl_engine_create", library().destroy_engine, cpu, 0);
}

/// Memory at `data`; the library allocates it if `data` is `allocated`.
Owned create_memory(Object layout, const Owned& engine, const void* data) {
  return create(library().create_memory, "dnnl_memory_create", library().destroy_memory, layout, engine.get(),
                const_cast<void*>(data));
}
const void* const allocated = reinterpret_cast<const void*>(-1);

Owned create_primitive(const Owned& plan) {
  return create(library().create_primitive, "dnnl_primitive_create", library().destroy_primitive, plan.get());
}

template <class Answer>
Answer ask(const Owned& plan, int what) {
  Answer answer = nullptr;
  check(library().query(plan.get(), what, 0, &answer), "dnnl_primitive_desc_query");
  return answer;
}

template <std::size_t count>
void execute(const Owned& primitive, const Owned& stream, const ArgumentOf (&arguments)[count]) {
  check(library().execute(primitive.get(), stream.get(), count, arguments), "dnnl_primitive_execute");
  check(library().wait(stream.get()), "dnnl_stream_wait");
}

/// The weights, copied into the layout that the product needs.
Owned reordered(const Owned& engine, const Owned& stream, const Owned& layout, const void* data, Object wanted) {
  const Owned source = create_memory(layout.get(), engine, data), copy = create_memory(wanted, engine, allocated);
  const Owned plan = create(library().plan_reorder, "dnnl_reorder_primitive_desc_create", library().destroy_plan,
                            layout.get(), engine.get(), wanted, engine.get(), nullptr);
  execute(create_primitive(plan), stream, {{from, source.get()}, {to, copy.get()}});
  return copy;
}

}  // namespace

bool has_onednn() { return library().complete; }

std::string onednn_name() { return "oneDNN " + library_version("oneDNN"); }

OneDnnProduct::OneDnnProduct(std::size_t m, std::size_t n, std::size_t k, const std::uint8_t* a, const std::int8_t* b,
                             std::int32_t* c)
    : OneDnnProduct(m, n, k, {u8, s8, s32}, a, b, c) {}

OneDnnProduct::OneDnnProduct(std::size_t m, std::size_t n, std::size_t k, const std::uint16_t* a,
                             const std::uint16_t* b, float* c)
    : OneDnnProduct(m, n, k, {bf16, bf16, f32}, a, b, c) {}

OneDnnProduct::OneDnnProduct(std::size_t m, std::size_t n, std::size_t k, const Types& types, const void* a,
                             const void* b, void* c) {
  // Plans are made for this number of threads. Those of SYCL start now, and keep to the cores of this thread.
  std::optional<Pinned> to_one_core;
  if (library().version()->cpu_runtime != on_openmp) to_one_core.emplace();
  library().set_threads(1);
  engine_ = create_engine();
  stream_ =
      create(library().create_stream, "dnnl_stream_create", library().destroy_stream, engine_.get(), stream_in_order);
  const Owned a_layout = create_layout(m, k, types.a, row_major), c_layout = create_layout(m, n, types.c, row_major);
  const Owned b_here = create_layout(k, n, types.b, row_major), b_any = create_layout(k, n, types.b, chosen_by_library);
  const Owned plan = create(library().plan_matmul, "dnnl_matmul_primitive_desc_create", library().destroy_plan,
                            engine_.get(), a_layout.get(), b_any.get(), nullptr, c_layout.get(), nullptr);
  a_ = create_memory(a_layout.get(), engine_, a);
  b_ = reordered(engine_, stream_, b_here, b, ask<Object>(plan, query_weights));
  c_ = create_memory(c_layout.get(), engine_, c);
  product_ = create_primitive(plan);
  implementation_ = ask<const char*>(plan, query_implementation);
}

void OneDnnProduct::run() const {
  library().set_threads(1);
  execute(product_, stream_, {{activations, a_.get()}, {weights, b_.get()}, {product, c_.get()}});
}

}  // namespace hf
