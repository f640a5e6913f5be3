// What a GPU does for each token of a text: it reads all weights once.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "03-gpu/bench/cuda/device_steps.hpp"
#include "03-gpu/bench/cuda/reads.cuh"
#include "03-gpu/check/gemv_reference.hpp"
#include "03-gpu/kernels/cuda/gemv.cuh"
#include "kit/cuda/timing.cuh"
#include "kit/product.hpp"
#include "kit/random.hpp"

namespace hf::gpu {
namespace {

constexpr int columns = 8192, batches[] = {1, 4, 16, 64}, largest_batch = 64;

template <class Weights>
__global__ void fill_weights(std::uint32_t* to, std::size_t count) {
  const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += threads)
    to[i] = random_weights<Weights>(i);
}

/// Random vectors in bf16.
std::vector<Bf16> random_vectors() {
  std::vector<Bf16> x;
  for (std::size_t i = 0; i < std::size_t{largest_batch} * columns; ++i) x.push_back(to_bf16(random_number(1, i)));
  return x;
}

/// Weights in one format, times up to 64 vectors. Any word of the weights can be computed again on the host.
template <class Weights>
class Gemv {
 public:
  /// \param bytes  of the weights, about
  Gemv(const char* id, std::size_t bytes)
      : id_(id),
        rows_(static_cast<int>(bytes / row_bytes<Weights>(columns))),
        row_scales_(Weights::scales_rows ? static_cast<std::size_t>(rows_) : 1),
        piece_scales_(Weights::scales_pieces ? static_cast<std::size_t>(rows_) * pieces_in_row : 1),
        numbers_(static_cast<std::size_t>(rows_) * pieces_in_row * 4),
        y_(static_cast<std::size_t>(rows_) * largest_batch) {
    for (std::size_t i = 0; i < row_scales_.size(); ++i) row_scales_[i] = std::abs(random_number(2, i)) + 0.1f;
    for (std::size_t i = 0; i < piece_scales_.size(); ++i) piece_scales_[i] = to_bf16(random_number(3, i));
    fill_weights<Weights><<<1024, 256>>>(numbers_.data(), numbers_.size());
    cuda::finish("fill_weights");
  }

  double bytes() const { return static_cast<double>(rows_) * row_bytes<Weights>(columns); }

  /// A variant for each batch, checked, named for example "bf16 16".
  std::vector<Variant> variants() { return {variant<1>(), variant<4>(), variant<16>(), variant<64>()}; }

  std::string name(int batch) const { return std::string(id_) + " " + std::to_string(batch); }

 private:
  static constexpr std::size_t pieces_in_row = columns / Weights::numbers;

  PackedMatrix matrix() const {
    return {rows_, columns, reinterpret_cast<const std::uint8_t*>(numbers_.data()), device_row_scales_.data(),
            device_piece_scales_.data()};
  }

  template <int batch>
  Variant variant() {
    const auto run = [this] { gemv<Weights, batch>(matrix(), device_x_.data(), y_.data()); };
    y_.poison();
    run();
    cuda::finish(id_);
    check(batch);
    return cuda::timed_on_device(name(batch), run);
  }

  /// Compares about 500 numbers with the reference.
  void check(int batch) const {
    const std::vector<float> y = y_.to_host();
    double worst = 0;
    visit_places(static_cast<std::size_t>(batch), static_cast<std::size_t>(rows_), 500,
                 [&](std::size_t vector, std::size_t row) {
                   const float found = y[vector * static_cast<std::size_t>(rows_) + row];
                   worst = std::max(worst, error_share(found, reference(row, vector)));
                 });
    cuda::expect(worst <= 1, std::string("the product with ") + id_ + " weights");
  }

  Reference reference(std::size_t row, std::size_t vector) const {
    std::vector<std::uint32_t> words;
    for (std::size_t i = 0; i < pieces_in_row * 4; ++i)
      words.push_back(random_weights<Weights>(row * pieces_in_row * 4 + i));
    const PackedMatrix alone = {1, columns, reinterpret_cast<const std::uint8_t*>(words.data()),
                                row_scales_.data() + (Weights::scales_rows ? row : 0),
                                piece_scales_.data() + (Weights::scales_pieces ? row * pieces_in_row : 0)};
    return gemv_reference<Weights>(alone, 0, x_.data() + vector * columns);
  }

  const char* id_;
  int rows_;
  std::vector<float> row_scales_;
  std::vector<Bf16> piece_scales_, x_ = random_vectors();
  cuda::DeviceArray<std::uint32_t> numbers_;
  cuda::DeviceArray<float> y_;
  cuda::DeviceArray<float> device_row_scales_{row_scales_};
  cuda::DeviceArray<Bf16> device_piece_scales_{piece_scales_}, device_x_{x_};
};

/// Adds the speed at which weights of one format are read, for each batch, and its share of the read bandwidth.
template <class Weights>
void add_gemv(Lab& lab, const std::string& id, const char* label, const Gemv<Weights>& gemv, const Reads& reads,
              const Sampling& sampling) {
  Series series = {"gemv_" + id + "_gbs", label, Kind::measured, {"batch", "1"}, {"bandwidth", "GB/s"}};
  for (const int batch : batches) series.points.emplace_back(batch, rate(gemv.bytes(), sampling.of(gemv.name(batch))));
  lab.add(std::move(series));
  lab.add(Value("gemv_" + id + "_of_read", times(sampling.ratio("read", gemv.name(1)), gemv.bytes() / reads.bytes()),
                "1", "weights times one vector, as a share of reading"));
}

void measure_gemv(Lab& lab, const cuda::Device& device) {
  const std::size_t bytes = beyond_l2(device, lab.quick() ? 4 : 8);
  Reads reads(device, bytes);
  reads.check(1);
  Gemv<Bf16Weights> bf16("bf16", bytes);
  Gemv<E4m3Weights> e4m3("e4m3", bytes);
  Gemv<FourBitWeights> four_bits("4-bit", bytes);
  std::vector<Variant> variants = {cuda::timed_on_device("read", [&] { reads.run(1); })};
  for (auto& some : {bf16.variants(), e4m3.variants(), four_bits.variants()}) {
    variants.insert(variants.end(), some.begin(), some.end());
    lab.tick();
  }
  const Sampling sampling = sample_interleaved(variants, lab.plan());
  lab.add(Value("gemv_read_gbs", rate(reads.bytes(), sampling.of("read")), "GB/s", "reading, in the same rounds"));
  add_gemv(lab, "bf16", "16 bits", bf16, reads, sampling);
  add_gemv(lab, "e4m3", "8 bits", e4m3, reads, sampling);
  add_gemv(lab, "q4", "4 bits", four_bits, reads, sampling);
}

}  // namespace

std::vector<Step> decode_steps(const cuda::Device& device) {
  return {{"GPU: weights times vectors", [=](Lab& lab) { measure_gemv(lab, device); }, 3, 10}};
}

}  // namespace hf::gpu
