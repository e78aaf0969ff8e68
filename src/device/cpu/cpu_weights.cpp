// SPDX-License-Identifier: Apache-2.0
#include "device/cpu/cpu_weights.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <hayakoe/error.hpp>

#include "device/half.hpp"

namespace hayakoe::device {

namespace {

using Kind = WeightShape::Kind;

// What is fastest, measured (docs/performance.md). Wide kernels with many channels take shorter blocks than they would
// like: their weights, 1.5 N matrices for k, would not fit the caches.
std::optional<Transform> transform_of(const WeightShape& s) {
  if (s.kind != Kind::kConv1d || !s.many_rows || s.in % kPanel != 0 || s.out % kPanel != 0) return std::nullopt;
  const int64_t channels = std::min(s.in, s.out);
  if (s.kernel >= 3 && s.kernel <= 5 && channels >= 2 * kPanel) return Transform::kWinograd8;
  if (s.kernel >= 6 && s.kernel <= 8) return channels >= 256 ? Transform::kFourier16 : Transform::kFourier32;
  if (s.kernel >= 9 && s.kernel <= 16) return channels >= 256 ? Transform::kFourier32 : Transform::kFourier64;
  return std::nullopt;
}

int64_t bytes_each(WeightType type) {
  switch (type) {
    case WeightType::kF32:
      return 4;
    case WeightType::kF16:
    case WeightType::kBF16:
      return 2;
    case WeightType::kInt8:
      return 1;
    case WeightType::kTF32:
      break;  // refused by pack()
  }
  return 0;
}

int64_t scale_rows(int64_t k) { return (k + kScaleRows - 1) / kScaleRows; }

// Bytes of the panels of one matrix, and its scales.
int64_t panel_bytes(const WeightForm& f, WeightType type) { return panel_floats(f.k, f.n) * bytes_each(type); }
int64_t scale_count(const WeightForm& f, WeightType type) {
  return type == WeightType::kInt8 ? panel_floats(scale_rows(f.k), f.n) : 0;
}

// One panel of int8: each column has a scale for kScaleRows rows, so that the largest of them becomes ±127.
void quantize(const float* panel, int64_t k, int8_t* to, float* scales) {
  for (int64_t first = 0; first < k; first += kScaleRows, scales += kPanel) {
    const int64_t end = std::min(first + kScaleRows, k);
    float inverse[kPanel] = {};
    std::fill(scales, scales + kPanel, 0.0F);
    for (int64_t i = first; i < end; ++i) {
      for (int64_t j = 0; j < kPanel; ++j) scales[j] = std::max(scales[j], std::abs(panel[i * kPanel + j]));
    }
    for (int64_t j = 0; j < kPanel; ++j) {
      inverse[j] = scales[j] > 0.0F ? 127.0F / scales[j] : 0.0F;
      scales[j] /= 127.0F;
    }
    for (int64_t i = first; i < end; ++i) {
      for (int64_t j = 0; j < kPanel; ++j)
        to[i * kPanel + j] = static_cast<int8_t>(std::lrint(panel[i * kPanel + j] * inverse[j]));
    }
  }
}

// A matrix `[k, n]` in memory: element (i, j) is values[i·row_stride + j·column_stride].
struct Strided {
  const float* values;
  int64_t row_stride, column_stride;
};

// Panel `p` of a matrix, stored at `to` (and `scales`).
void pack_panel(const WeightForm& f, const Strided& m, int64_t p, WeightType type, std::byte* to, float* scales) {
  std::vector<float> panel(static_cast<size_t>(f.k * kPanel));
  const int64_t columns = std::min(kPanel, f.n - p * kPanel);
  for (int64_t j = 0; j < columns; ++j) {
    const float* from = m.values + (p * kPanel + j) * m.column_stride;
    for (int64_t i = 0; i < f.k; ++i) panel[static_cast<size_t>(i * kPanel + j)] = from[i * m.row_stride];
  }
  switch (type) {
    case WeightType::kF32:
      std::memcpy(to, panel.data(), panel.size() * sizeof(float));
      break;
    case WeightType::kF16:
      std::transform(panel.begin(), panel.end(), reinterpret_cast<uint16_t*>(to), to_f16);
      break;
    case WeightType::kBF16:
      std::transform(panel.begin(), panel.end(), reinterpret_cast<uint16_t*>(to), to_bf16);
      break;
    case WeightType::kInt8:
      quantize(panel.data(), f.k, reinterpret_cast<int8_t*>(to), scales);
      break;
    case WeightType::kTF32:
      break;  // refused by pack()
  }
}

// Matrix `index` of the form as a plain array `[k, n]`, for shapes whose weights must be rearranged.
std::vector<float> rearranged(const WeightShape& s, const WeightForm& f, int64_t index, std::span<const float> weight) {
  if (f.transform) return transform_weights(*f.transform, index, weight, s.in, s.out, s.kernel);
  std::vector<float> m(static_cast<size_t>(f.k * f.n), 0.0F);
  const bool transposed = s.kind == Kind::kConvTranspose1d;
  const int64_t taps = f.k / s.in;
  for (int64_t tap = 0; tap < taps; ++tap) {
    const int64_t k = transposed ? index + (taps - 1 - tap) * s.stride : tap;
    if (k >= s.kernel) continue;  // this phase has fewer taps
    for (int64_t i = 0; i < s.in; ++i) {
      for (int64_t o = 0; o < s.out; ++o) {
        const int64_t pair = transposed ? i * s.out + o : o * s.in + i;
        m[static_cast<size_t>((tap * s.in + i) * s.out + o)] = weight[static_cast<size_t>(pair * s.kernel + k)];
      }
    }
  }
  return m;
}

struct Owned {
  std::vector<std::byte> panels;
  std::vector<float> scales, bias;
};

bool aligned(const void* p) { return reinterpret_cast<uintptr_t>(p) % alignof(float) == 0; }

}  // namespace

WeightForm form_of(const WeightShape& s) {
  WeightForm f;
  f.n = s.out;
  f.transform = transform_of(s);
  if (f.transform) {
    f.count = components(*f.transform);
    f.k = s.in;
  } else if (s.kind == Kind::kConvTranspose1d) {
    f.count = s.stride;
    f.k = (s.kernel + s.stride - 1) / s.stride * s.in;
  } else {
    f.k = s.kernel * s.in;
  }
  return f;
}

std::shared_ptr<const CpuWeights> CpuWeights::pack(const WeightShape& shape, std::span<const float> weight,
                                                   std::span<const float> bias, WeightType type, ThreadPool& pool) {
  if (shape.out == 1 || shape.delicate) type = WeightType::kF32;  // they are small
  if (type == WeightType::kTF32) throw Error("the CPU has no tf32 weights");
  const WeightForm f = form_of(shape);
  auto owned = std::make_shared<Owned>();
  owned->panels.resize(static_cast<size_t>(f.count * panel_bytes(f, type)));
  owned->scales.resize(static_cast<size_t>(f.count * scale_count(f, type)));
  owned->bias.assign(bias.begin(), bias.end());
  owned->bias.resize(static_cast<size_t>(shape.out), 0.0F);
  const int64_t panels = (f.n + kPanel - 1) / kPanel;
  const auto pack_one = [&](int64_t index, const Strided& m, int64_t p) {
    const int64_t at = index * panels + p;
    pack_panel(f, m, p, type, owned->panels.data() + at * panel_bytes(f, type) / panels,
               owned->scales.data() + at * scale_count(f, type) / panels);
  };
  if (shape.kind == Kind::kLinear) {
    pool.run(panels, [&](int64_t p) { pack_one(0, {weight.data(), 1, shape.in}, p); });
  } else {
    pool.run(f.count, [&](int64_t index) {
      const std::vector<float> matrix = rearranged(shape, f, index, weight);
      for (int64_t p = 0; p < panels; ++p) pack_one(index, {matrix.data(), f.n, 1}, p);
    });
  }
  const PackedParts parts{type, owned->panels, owned->scales, owned->bias, owned};
  return std::shared_ptr<const CpuWeights>(new CpuWeights(shape, parts));
}

std::shared_ptr<const CpuWeights> CpuWeights::adopt(const WeightShape& shape, const PackedParts& parts) {
  const WeightForm f = form_of(shape);
  const auto panels = static_cast<size_t>(f.count * panel_bytes(f, parts.type));
  const auto scales = static_cast<size_t>(f.count * scale_count(f, parts.type));
  if (shape.out == 1 && parts.type != WeightType::kF32) throw Error("packed weights of one output must be float");
  if (parts.panels.size() != panels || parts.scales.size() != scales ||
      parts.bias.size() != static_cast<size_t>(shape.out)) {
    throw Error(
        fmt::format("packed weights have {} bytes, {} scales and {} biases, but {}, {} and {} are needed; convert the "
                    "model again with this version",
                    parts.panels.size(), parts.scales.size(), parts.bias.size(), panels, scales, shape.out));
  }
  if (aligned(parts.panels.data()) && aligned(parts.scales.data()) && aligned(parts.bias.data()))
    return std::shared_ptr<const CpuWeights>(new CpuWeights(shape, parts));
  auto owned = std::make_shared<Owned>();
  owned->panels.assign(parts.panels.begin(), parts.panels.end());
  owned->scales.resize(scales);
  owned->bias.resize(parts.bias.size());
  std::memcpy(owned->scales.data(), parts.scales.data(), parts.scales.size_bytes());
  std::memcpy(owned->bias.data(), parts.bias.data(), parts.bias.size_bytes());
  const PackedParts copy{parts.type, owned->panels, owned->scales, owned->bias, owned};
  return std::shared_ptr<const CpuWeights>(new CpuWeights(shape, copy));
}

CpuWeights::CpuWeights(const WeightShape& shape, const PackedParts& parts) : form_(form_of(shape)), parts_(parts) {
  for (int64_t i = 0; i < form_.count; ++i) {
    const float* scales = parts_.scales.empty() ? nullptr : parts_.scales.data() + i * scale_count(form_, parts_.type);
    matrices_.push_back({parts_.type, parts_.panels.data() + i * panel_bytes(form_, parts_.type), scales});
  }
  if (shape.out != 1) return;
  const auto* panel = static_cast<const float*>(matrices_.front().panels);
  for (int64_t i = 0; i < form_.k; ++i) column_.push_back(panel[i * kPanel]);
}

GemmWeights CpuWeights::matrix(int64_t i, int64_t column) const {
  GemmWeights m = matrices_[static_cast<size_t>(i)];
  const int64_t panel = column / kPanel;
  m.panels = static_cast<const std::byte*>(m.panels) + panel * form_.k * kPanel * bytes_each(m.type);
  if (m.scales != nullptr) m.scales += panel * scale_rows(form_.k) * kPanel;
  return m;
}

}  // namespace hayakoe::device
