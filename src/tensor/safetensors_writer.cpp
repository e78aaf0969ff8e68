// SPDX-License-Identifier: Apache-2.0
#include "tensor/safetensors_writer.hpp"

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <hayakoe/error.hpp>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "tensor/array.hpp"
#include "tensor/safetensors.hpp"

namespace hayakoe::tensor {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are written as they lie in memory");

constexpr std::string_view kMetadata = "__metadata__";

void check(const std::filesystem::path& path, const std::vector<TensorEntry>& tensors) {
  std::set<std::string_view> names;
  for (const TensorEntry& t : tensors) {
    if (t.name == kMetadata) throw Error(fmt::format("{}: no tensor may be called '{}'", path.string(), kMetadata));
    if (!names.insert(t.name).second) {
      throw Error(fmt::format("{}: there are two tensors '{}'", path.string(), t.name));
    }
    if (t.shape.size() > SafeTensors::kMaxAxes) {
      throw Error(fmt::format("{}: tensor '{}' has {} axes; the format allows {}", path.string(), t.name,
                              t.shape.size(), SafeTensors::kMaxAxes));
    }
  }
}

// Eight bytes of length, then JSON, then spaces up to where the data may begin.
std::string header_of(const std::filesystem::path& path, const std::vector<TensorEntry>& tensors,
                      const std::map<std::string, std::string>& metadata) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  if (!metadata.empty()) json[kMetadata] = metadata;
  std::uint64_t begin = 0;
  for (const TensorEntry& t : tensors) {
    const std::uint64_t end = begin + t.bytes();
    json[t.name] = {{"dtype", dtype_name(t.dtype)}, {"shape", t.shape}, {"data_offsets", {begin, end}}};
    begin = end;
  }
  std::string text = json.dump();
  constexpr std::size_t kAlignment = 64;  // a cache line, and the widest vector there is
  constexpr std::size_t kLength = sizeof(std::uint64_t);
  text.append((kAlignment - (kLength + text.size()) % kAlignment) % kAlignment, ' ');
  if (text.size() > SafeTensors::kMaxHeader) {
    throw Error(fmt::format("{}: the header takes {} bytes; the format allows {}", path.string(), text.size(),
                            SafeTensors::kMaxHeader));
  }
  const std::uint64_t length = text.size();
  std::string header(kLength, '\0');
  std::memcpy(header.data(), &length, kLength);
  return header + text;
}

std::uint64_t file_size(const std::string& header, const std::vector<TensorEntry>& tensors) {
  std::uint64_t size = header.size();
  for (const TensorEntry& t : tensors) size += t.bytes();
  return size;
}

}  // namespace

std::uint64_t TensorEntry::bytes() const {
  return static_cast<std::uint64_t>(element_count(shape)) * dtype_size(dtype);
}

SafeTensorsWriter::SafeTensorsWriter(const std::filesystem::path& path, std::vector<TensorEntry> tensors,
                                     const std::map<std::string, std::string>& metadata)
    : tensors_((check(path, tensors), std::move(tensors))),
      header_(header_of(path, tensors_, metadata)),
      size_(file_size(header_, tensors_)),
      file_(path, size_) {
  file_.append(std::as_bytes(std::span(header_)));
  skip_complete();
}

void SafeTensorsWriter::skip_complete() {
  while (next_ < tensors_.size() && written_ == tensors_[next_].bytes()) {
    ++next_;
    written_ = 0;
  }
}

void SafeTensorsWriter::write(std::string_view name, std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  if (next_ == tensors_.size() || tensors_[next_].name != name) {
    throw Error(fmt::format("{}: '{}' was written where {} comes", file_.path().string(), name,
                            next_ == tensors_.size() ? "the end" : fmt::format("'{}'", tensors_[next_].name)));
  }
  const std::uint64_t missing = tensors_[next_].bytes() - written_;
  if (bytes.size() > missing) {
    throw Error(fmt::format("{}: {} bytes were written for '{}', which holds {} more", file_.path().string(),
                            bytes.size(), name, missing));
  }
  file_.append(bytes);
  written_ += bytes.size();
  skip_complete();
}

void SafeTensorsWriter::finish() {
  if (next_ != tensors_.size()) {
    throw Error(fmt::format("{}: '{}' lacks {} bytes", file_.path().string(), tensors_[next_].name,
                            tensors_[next_].bytes() - written_));
  }
  file_.commit();
}

}  // namespace hayakoe::tensor
