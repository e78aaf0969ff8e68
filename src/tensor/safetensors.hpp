// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/array.hpp"

namespace hayakoe::tensor {

/// A safetensors file (https://github.com/huggingface/safetensors, "Format"): eight bytes of header length, a JSON
/// header, then the data. Also reads AIVM files, which are safetensors with `aivm_*` entries in the metadata. A cheap
/// handle: copies share one mapping, and the views stay valid as long as any copy lives.
///
/// The whole header is checked on opening: every view lies inside the file and has exactly the bytes its shape and type
/// ask for, no two overlap, and no byte of the data is left over, as the format demands.
class SafeTensors {
 public:
  /// The longest header the format allows, in bytes.
  static constexpr std::uint64_t kMaxHeader = 100'000'000;
  /// The most axes a tensor may have.
  static constexpr std::size_t kMaxAxes = 64;

  /// Maps and checks the file. Throws Error, naming the file and the key at fault.
  [[nodiscard]] static SafeTensors open(const std::filesystem::path& path);

  /// The same for bytes in memory; `path` is only used in messages.
  [[nodiscard]] static SafeTensors parse(std::vector<std::byte> bytes, const std::filesystem::path& path);

  [[nodiscard]] bool has(std::string_view name) const;

  /// The tensor of that name. Throws Error naming the file, the key and the most similar keys there are.
  [[nodiscard]] const ArrayView& get(std::string_view name) const;

  /// to_f32() / to_i64() of get(name), with the file and the key named in every Error.
  [[nodiscard]] std::vector<float> read_f32(std::string_view name) const;
  [[nodiscard]] std::vector<std::int64_t> read_i64(std::string_view name) const;

  [[nodiscard]] const std::map<std::string, ArrayView>& tensors() const;

  /// The strings under `__metadata__`; empty if there are none.
  [[nodiscard]] const std::map<std::string, std::string>& metadata() const;

  [[nodiscard]] const std::filesystem::path& path() const;

 private:
  struct State;
  explicit SafeTensors(std::shared_ptr<const State> state);
  // `owner` keeps `bytes` alive.
  static SafeTensors from_bytes(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                                const std::filesystem::path& path);
  std::shared_ptr<const State> state_;
};

}  // namespace hayakoe::tensor
