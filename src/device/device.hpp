// SPDX-License-Identifier: Apache-2.0
// The operations that the models need, behind one narrow interface. A Device holds packed weights and is shared by all
// threads; a Stream is one request's ordered work on it, with its own arena and its own count of what was copied.
//
// Activations are float `[rows, channels]`, row-major. A ragged batch is such a tensor plus tensor::Segments.
// Operations return new tensors from the stream's arena unless their name says that they work in place.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tensor/segments.hpp"
#include "tensor/tensor.hpp"

namespace hayakoe::device {

using tensor::Segments;
using tensor::Tensor;

/// How weights are kept. Activations and sums are always float. A device with matrix units for short numbers also
/// rounds the activations that it multiplies by f16, bf16 or tf32 weights; tf32 is kept as 32 bits.
enum class WeightType { kF32, kF16, kBF16, kInt8, kTF32 };

/// The weights of BERT's layers, and of flow and decoder. What the durations of a voice depend on is always kF32.
struct Precision {
  WeightType bert = WeightType::kF32;
  WeightType voice = WeightType::kF32;
};

/// Weights lie in panels of this many columns (outputs), the last one filled up with zeros.
inline constexpr int64_t kPanel = 16;
constexpr int64_t padded_columns(int64_t n) { return (n + kPanel - 1) / kPanel * kPanel; }

/// What weights are for, and their shape.
struct WeightShape {
  enum class Kind { kLinear, kConv1d, kConvTranspose1d };
  Kind kind = Kind::kLinear;
  int64_t in = 0, out = 0, kernel = 1;
  int64_t stride = 1;      ///< kConvTranspose1d
  bool many_rows = false;  ///< long inputs: memory that buys speed is well spent
  bool delicate = false;   ///< few weights whose rounding is heard: kept exactly where that costs little
};

/// Packed weights as they lie in the host's memory: what a file can keep. Only the kind of device that made them reads
/// them.
struct PackedParts {
  WeightType type = WeightType::kF32;
  std::span<const std::byte> panels;
  std::span<const float> scales;  ///< of kInt8
  std::span<const float> bias;
  std::shared_ptr<const void> owner;  ///< keeps all of them alive
};

/// Weights in the form that a device likes best; made by Device::pack or adopt, read by the same device's streams.
class Packed {
 public:
  virtual ~Packed() = default;
  /// Their bytes, valid as long as this lives.
  [[nodiscard]] virtual PackedParts parts() const = 0;
};

/// y = x Wᵀ + b
struct Linear {
  std::shared_ptr<const Packed> packed;
  int64_t in = 0, out = 0;
};

/// Cross-correlation over time with zero padding, same length out as in:
/// y[t] = b + Σ_k W[:, :, k] x[t + dilation·k − left], left = dilation·(kernel−1)/2 rounded down.
struct Conv1d {
  std::shared_ptr<const Packed> packed;
  int64_t in = 0, out = 0, kernel = 0, dilation = 1;
};

/// Transposed convolution, exactly `stride` rows out for each row in: y[t·stride + k − padding] += W[:, :, k]ᵀ x[t], +
/// b.
struct ConvTranspose1d {
  std::shared_ptr<const Packed> packed;
  int64_t in = 0, out = 0, kernel = 0, stride = 1, padding = 0;
};

/// Convolution of each channel on its own: weight `[kernel, channels]`, bias `[1, channels]`, zero padding, same
/// length.
struct DepthwiseConv1d {
  Tensor weight, bias;
  int64_t dilation = 1;
};

/// Scale and shift of a layer norm, `[1, channels]` each. The variance is biased.
struct LayerNorm {
  Tensor gamma, beta;
  float eps = 1e-5F;
};

/// What happens to a result before it is stored. GELU is the exact one (erf).
enum class Activation { kNone, kRelu, kGelu, kLeakyRelu };

/// An activation or `+ residual`, not both. `slope` belongs to kLeakyRelu.
struct Epilogue {
  Activation activation = Activation::kNone;
  float slope = 0.0F;
  const Tensor* residual = nullptr;  ///< same shape as the result
};

/// Relative positions of DeBERTa: `buckets` S of a log-bucketed distance, table rows 2S (spec of DeBERTa-v2's
/// make_log_bucket_position; see model/bert.hpp).
struct RelativeBuckets {
  /// Row of the position tables for distance r = query − key: row[r + limit], |r| ≤ limit; beyond that, clamp r.
  std::vector<int32_t> row;
  int64_t limit = 0;
  Tensor on_device;  ///< the same rows, int32 `[2·limit + 1, 1]`
  [[nodiscard]] int32_t at(int64_t r) const {
    r = r < -limit ? -limit : (r > limit ? limit : r);
    return row[static_cast<size_t>(r + limit)];
  }
};

/// Copies between host and device, and the kernels that a device of its own was told to run (none on the CPU).
struct Transfers {
  int64_t uploads = 0, downloads = 0;
  int64_t upload_bytes = 0, download_bytes = 0;
  int64_t launches = 0;
};

/// One request's work, in order. Used by one thread at a time.
class Stream {
 public:
  virtual ~Stream() = default;

  /// An uninitialised tensor from the arena.
  virtual Tensor allocate(int64_t rows, int64_t cols) = 0;
  /// Copies host values to the device; counted. `values.size()` must be rows·cols.
  virtual Tensor upload(std::span<const float> values, int64_t rows, int64_t cols) = 0;
  virtual Tensor upload(std::span<const int32_t> values) = 0;  ///< `[n, 1]`
  /// Copies to the host, row after row without gaps; counted. Waits for the work before it.
  virtual void download(const Tensor& x, std::span<float> out) = 0;
  virtual void download(const Tensor& x, std::span<int32_t> out) = 0;
  [[nodiscard]] virtual Transfers transfers() const = 0;
  /// Forgets the counts, for a new request.
  virtual void reset_transfers() = 0;
  /// Bytes that the arena holds now, in use or ready for reuse.
  [[nodiscard]] virtual int64_t arena_bytes() const = 0;
  /// Most bytes that tensors of this stream have held at once since reset_transfers().
  [[nodiscard]] virtual int64_t peak_bytes() const = 0;
  /// Waits until the work before it is done: for measuring.
  virtual void wait() = 0;

  /// out[i] = table[index[i]]; index is int32 `[n, 1]`.
  virtual Tensor gather_rows(const Tensor& table, const Tensor& index) = 0;
  /// x[i] += table[index[i]], in place.
  virtual void add_gathered_rows(Tensor& x, const Tensor& table, const Tensor& index) = 0;

  /// The rows of a, then those of b.
  virtual Tensor concat_rows(const Tensor& a, const Tensor& b) = 0;
  /// Row i of `counts` (int32 `[n, 1]`) becomes counts[i] entries of value i; `total` is their sum. int32 `[total, 1]`.
  /// @throws Error on the CPU if it is not; a GPU, whose counts the host has not seen, then cuts off or repeats the
  /// last
  virtual Tensor repeated_index(const Tensor& counts, int64_t total) = 0;

  virtual Tensor linear(const Tensor& x, const Linear& w, const Epilogue& e = {}) = 0;
  /// Both convolve leaky_relu(x, input_slope); 1 leaves x as it is.
  virtual Tensor conv1d(const Tensor& x, const Segments& s, const Conv1d& w, const Epilogue& e = {},
                        float input_slope = 1.0F) = 0;
  virtual Tensor conv_transpose1d(const Tensor& x, const Segments& s, const ConvTranspose1d& w,
                                  float input_slope = 1.0F) = 0;
  virtual Tensor depthwise_conv1d(const Tensor& x, const Segments& s, const DepthwiseConv1d& w) = 0;

  /// LN(x + residual) over the channels of each row, then the activation.
  virtual Tensor layer_norm(const Tensor& x, const LayerNorm& norm, const Tensor* residual = nullptr,
                            Activation activation = Activation::kNone) = 0;

  /// Disentangled attention of DeBERTa (He et al. 2021, section 3.1), per segment and head, for `qkv` `[rows,
  /// 3·hidden]`: score(i, j) = (Qᵢ·Kⱼ + Qᵢ·PKδ + Kⱼ·PQδ) / √(3·d), δ = buckets.at(i − j); pos_k, pos_q `[2S, hidden]`.
  virtual Tensor bert_attention(const Tensor& qkv, const Tensor& pos_k, const Tensor& pos_q, const Segments& s,
                                int64_t heads, const RelativeBuckets& buckets) = 0;

  /// Self-attention with learned relative keys and values inside a window (Shaw et al. 2018, as VITS uses it), for
  /// `qkv`
  /// `[rows, 3·channels]` whose q already carries 1/√d; rel_k, rel_v `[2·window+1, d]`, shared by the heads, row
  /// j−i+window.
  virtual Tensor windowed_attention(const Tensor& qkv, const Tensor& rel_k, const Tensor& rel_v, const Segments& s,
                                    int64_t heads) = 0;

  virtual void copy(Tensor& to, const Tensor& from) = 0;           ///< to = from; same shape
  virtual void add_in_place(Tensor& x, const Tensor& y) = 0;       ///< x += y; y has x's rows, or one row for all
  virtual void subtract_in_place(Tensor& x, const Tensor& y) = 0;  ///< x −= y
  virtual void scale_in_place(Tensor& x, float factor) = 0;
  virtual void tanh_in_place(Tensor& x) = 0;
  virtual Tensor reverse_channels(const Tensor& x) = 0;
  /// (1 − weight)·x + weight·row, in place; row `[1, cols]`.
  virtual void mix_row_in_place(Tensor& x, const Tensor& row, float weight) = 0;
  virtual Tensor mean_rows(const Tensor& x) = 0;  ///< `[1, cols]`

  /// y ← spline⁻¹(y), in place, for y `[n, 1]` (a view of one column is fine): monotonic rational-quadratic spline with
  /// linear tails at ±5 (Durkan et al. 2019). `params` `[n, 3·bins − 1]`: widths, heights, inner derivatives, before
  /// softmax / softplus; widths and heights are multiplied by `scale` first.
  virtual void spline_inverse_in_place(Tensor& y, const Tensor& params, float scale) = 0;
  /// x ← (x − shift)·exp(−log_scale) per channel, in place; shift, log_scale `[1, cols]`.
  virtual void affine_inverse_in_place(Tensor& x, const Tensor& shift, const Tensor& log_scale) = 0;

  /// Frames per phone position, int32 `[n, 1]`: ⌈exp(ratio·stochastic + (1−ratio)·deterministic)·length_scale⌉, at
  /// least 1 and at most `limit`. An input whose share is 0 may be an empty tensor.
  virtual Tensor durations(const Tensor& stochastic, const Tensor& deterministic, float ratio, float length_scale,
                           int32_t limit) = 0;
  /// mean + noise·exp(log_scale)·noise_scale; all `[rows, cols]`.
  virtual Tensor sample_normal(const Tensor& mean, const Tensor& log_scale, const Tensor& noise, float noise_scale) = 0;

  /// Standard normal values that depend only on (keys[segment], row within the segment, column): Philox-4x32-10 (Salmon
  /// et al. 2011) and Box–Muller. The same request has the same noise in every batch and on every device.
  virtual Tensor normal(const Segments& s, int64_t cols, std::span<const uint64_t> keys) = 0;
};

/// A place to compute. Safe to use from any number of threads.
class Device {
 public:
  virtual ~Device() = default;
  [[nodiscard]] virtual std::string name() const = 0;     ///< "cpu", "cuda:0": one memory, one name
  [[nodiscard]] virtual std::string details() const = 0;  ///< for people: library, instruction set, threads

  /// What `--precision` NAME stands for on this device. @throws Error naming those that there are
  [[nodiscard]] virtual Precision precision(const std::string& name) const = 0;
  /// Bytes of weights and constants in a memory of the device's own, of the whole process; 0 if that is the host's.
  [[nodiscard]] virtual int64_t weight_bytes() const = 0;

  /// Constant data, `[rows, cols]`, that lives as long as its handle. Not counted as a transfer of a request.
  virtual Tensor constant(std::span<const float> values, int64_t rows, int64_t cols) = 0;
  virtual Tensor constant(std::span<const int32_t> values) = 0;  ///< `[n, 1]`
  /// The same for values that `owner` keeps alive and that need not be copied.
  virtual Tensor constant_view(std::span<const float> values, int64_t rows, int64_t cols,
                               std::shared_ptr<const void> owner) = 0;
  /// Packs weights: kLinear `[out, in]`, kConv1d `[out, in, kernel]`, kConvTranspose1d `[in, out, kernel]`; bias
  /// `[out]` or empty.
  virtual std::shared_ptr<const Packed> pack(const WeightShape& shape, std::span<const float> weight,
                                             std::span<const float> bias, WeightType type) = 0;
  /// Weights that Packed::parts() gave for this shape; their bytes are used where they lie. @throws Error if they do
  /// not fit the shape, or if this device cannot read them
  virtual std::shared_ptr<const Packed> adopt(const WeightShape& shape, const PackedParts& parts) = 0;

  Linear pack_linear(std::span<const float> weight, std::span<const float> bias, int64_t in, int64_t out,
                     WeightType type = WeightType::kF32) {
    return {pack({.in = in, .out = out}, weight, bias, type), in, out};
  }
  Conv1d pack_conv1d(std::span<const float> weight, std::span<const float> bias, int64_t in, int64_t out,
                     int64_t kernel, int64_t dilation, bool many_rows = false, WeightType type = WeightType::kF32) {
    const WeightShape shape{WeightShape::Kind::kConv1d, in, out, kernel, 1, many_rows};
    return {pack(shape, weight, bias, type), in, out, kernel, dilation};
  }
  ConvTranspose1d pack_conv_transpose1d(std::span<const float> weight, std::span<const float> bias, int64_t in,
                                        int64_t out, int64_t kernel, int64_t stride, int64_t padding,
                                        WeightType type = WeightType::kF32) {
    const WeightShape shape{WeightShape::Kind::kConvTranspose1d, in, out, kernel, stride, true};
    return {pack(shape, weight, bias, type), in, out, kernel, stride, padding};
  }

  /// A new stream with an arena of its own.
  virtual std::unique_ptr<Stream> stream() = 0;
  /// Frames that a decoder pass should hold at most, so that memory stays bounded; a longer sentence goes alone, in
  /// windows of so many.
  [[nodiscard]] virtual int64_t decode_frames() const = 0;
};

/// Opens a device: "cpu"; "cuda" or "cuda:N" for NVIDIA GPU N, through the plug-in (device/plugin.hpp); "auto": the
/// first GPU where there is one, else the CPU. `threads` are the CPU's; 0: what the machine gives this process
/// (affinity and container quota).
/// @throws Error for an unknown or unavailable device, naming what there is or what is missing.
std::shared_ptr<Device> open_device(const std::string& name, int threads);

}  // namespace hayakoe::device
