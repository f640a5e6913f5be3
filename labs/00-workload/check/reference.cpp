#include "00-workload/check/reference.hpp"

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "00-workload/kernels/mlp.hpp"
#include "00-workload/kernels/resnet.hpp"
#include "kit/loop_team.hpp"
#include "kit/rounded.hpp"
#include "kit/transformer/reference.hpp"

namespace hf::workload {

std::vector<Rounded> reference_mlp(const Mlp& mlp, const float* x) {
  const auto [inputs, hidden, classes] = mlp.shape();
  const Weights weights = {mlp.parameters().data()};
  const auto relu = [](Vector<Rounded> y) {
    for (Rounded& each : y) each = each.value > 0 ? each : Rounded(0, each.variance);
    return y;
  };
  const Vector<Rounded> picture(x, x + inputs);
  const Vector<Rounded> first = relu(dense(weights, 0, picture, hidden));
  const std::size_t second_at = (inputs + 1) * hidden, third_at = second_at + (hidden + 1) * hidden;
  const Vector<Rounded> second = relu(dense(weights, second_at, first, hidden));
  Vector<Rounded> y = dense(weights, third_at, second, classes);
  soften(y);
  return y;
}

namespace {

/// A picture: (channels, side, side).
struct Picture {
  std::size_t side;
  Vector<Rounded> pixels;

  std::size_t channels() const { return pixels.size() / side / side; }

  /// Returns 0 outside the picture. Coordinates start at `pad` pixels before the edge.
  Rounded at(std::size_t channel, std::size_t i, std::size_t j, std::size_t pad) const {
    if (i < pad || j < pad || i - pad >= side || j - pad >= side) return 0;
    return pixels[(channel * side + i - pad) * side + j - pad];
  }
};

/// Returns the convolution by its definition, times the channel's scale, plus its shift.
Picture convolved(const Resnet& resnet, const Convolution& c, const Picture& x) {
  const std::span<const float> weight = resnet.parameter(c.weight);
  const std::size_t side = (x.side + 2 * (c.kernel / 2) - c.kernel) / c.stride + 1;
  Picture y = {side, Vector<Rounded>(c.out * side * side)};
  share_each(y.pixels.size(), c.in * c.kernel * c.kernel, [&](std::size_t pixel) {
    const std::size_t out = pixel / side / side, i = pixel / side % side, j = pixel % side;
    Rounded sum = 0;
    for (std::size_t in = 0; in < c.in; ++in) {
      for (std::size_t di = 0; di < c.kernel; ++di) {
        for (std::size_t dj = 0; dj < c.kernel; ++dj) {
          sum = sum + Rounded(weight[((out * c.in + in) * c.kernel + di) * c.kernel + dj]) *
                          x.at(in, i * c.stride + di, j * c.stride + dj, c.kernel / 2);
        }
      }
    }
    y.pixels[pixel] = sum * Rounded(resnet.parameter(c.scale)[out]) + Rounded(resnet.parameter(c.shift)[out]);
  });
  return y;
}

void rectify(Picture& x) {
  for (Rounded& each : x.pixels) each = each.value > 0 ? each : Rounded(0, each.variance);
}

Picture pooled(const Picture& x) {
  Picture y = {(x.side + 1) / 2, {}};
  for (std::size_t channel = 0; channel < x.channels(); ++channel) {
    for (std::size_t i = 0; i < y.side; ++i) {
      for (std::size_t j = 0; j < y.side; ++j) {
        Rounded highest = x.at(channel, 2 * i + 1, 2 * j + 1, 1);
        for (std::size_t window = 0; window < 9; ++window) {  // padding is 0, which is also the minimum after ReLU
          const Rounded each = x.at(channel, 2 * i + window / 3, 2 * j + window % 3, 1);
          if (each.value > highest.value) highest = each;
        }
        y.pixels.push_back(highest);
      }
    }
  }
  return y;
}

}  // namespace

std::vector<Rounded> reference_resnet(const Resnet& resnet, const float* x, std::size_t side) {
  Picture picture = convolved(resnet, resnet.stem(), {side, Vector<Rounded>(x, x + 3 * side * side)});
  rectify(picture);
  picture = pooled(picture);
  for (const Block& block : resnet.blocks()) {
    Picture y = convolved(resnet, block.first, picture);
    rectify(y);
    y = convolved(resnet, block.second, y);
    add_to(y.pixels, block.around.empty() ? picture.pixels : convolved(resnet, block.around[0], picture).pixels);
    rectify(y);
    picture = std::move(y);
  }
  const std::size_t area = picture.side * picture.side;
  Vector<Rounded> means;
  for (std::size_t channel = 0; channel < picture.channels(); ++channel) {
    Rounded sum = 0;
    for (std::size_t i = 0; i < area; ++i) sum = sum + picture.pixels[channel * area + i];
    means.push_back(sum / Rounded(static_cast<double>(area)));
  }
  return dense(Weights{resnet.parameter(resnet.dense_weight()).data()}, 0, means, resnet.shape().classes);
}

}  // namespace hf::workload
