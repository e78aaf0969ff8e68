// SPDX-License-Identifier: Apache-2.0
#include "tensor/safetensors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <hayakoe/error.hpp>
#include <numeric>
#include <utility>

#include "tensor/mapped_file.hpp"
#include "tensor/safetensors_header.hpp"

namespace hayakoe::tensor {

static_assert(std::endian::native == std::endian::little,
              "safetensors files are used as they lie, in little-endian order");

struct SafeTensors::State {
  std::shared_ptr<const void> owner;  // keeps the bytes of the views alive
  std::filesystem::path path;
  std::map<std::string, ArrayView> tensors;
  std::map<std::string, std::string> metadata;
};

namespace {

[[noreturn]] void fail(std::string_view file, const std::string& what) {
  throw Error(fmt::format("{} is not a valid safetensors file: {}", file, what));
}

// The bytes of the JSON header; the data follow directly.
std::string_view header_text(std::span<const std::byte> bytes, std::string_view file) {
  std::uint64_t length = 0;
  if (bytes.size() < sizeof length) {
    fail(file, fmt::format("it has only {} bytes", bytes.size()));
  }
  std::memcpy(&length, bytes.data(), sizeof length);
  if (length > SafeTensors::kMaxHeader) {
    fail(file, fmt::format("it states a header of {} bytes, but {} is the most that is allowed", length,
                           SafeTensors::kMaxHeader));
  }
  if (length > bytes.size() - sizeof length) {
    fail(file,
         fmt::format("it states a header of {} bytes, but the whole file has {} (truncated?)", length, bytes.size()));
  }
  const auto header = bytes.subspan(sizeof length, static_cast<std::size_t>(length));
  if (header.empty() || header.front() != std::byte{'{'}) {
    fail(file, "its header does not start with \"{\"");
  }
  return {reinterpret_cast<const char*>(header.data()), header.size()};
}

ArrayView make_view(const std::string& name, const TensorEntry& entry, std::span<const std::byte> data,
                    std::string_view file) {
  if (entry.begin > entry.end) {
    fail(file, fmt::format("tensor {} ends at {} before it begins at {}", in_quotes(name), entry.end, entry.begin));
  }
  if (entry.end > data.size()) {
    fail(file, fmt::format("tensor {} ends at byte {} of the data, but the file has only {} of them (truncated?)",
                           in_quotes(name), entry.end, data.size()));
  }
  std::uint64_t elements = 0;
  try {
    elements = static_cast<std::uint64_t>(element_count(entry.shape));
  } catch (const Error& error) {
    fail(file, fmt::format("tensor {}: {}", in_quotes(name), error.what()));
  }
  const std::uint64_t bytes = entry.end - entry.begin;
  const std::size_t size = dtype_size(entry.dtype);
  if (bytes % size != 0 || bytes / size != elements) {
    fail(file, fmt::format("tensor {} has {} bytes, but shape {} of type {} needs {} elements of {} bytes",
                           in_quotes(name), bytes, shape_string(entry.shape), dtype_name(entry.dtype), elements, size));
  }
  return {entry.dtype, entry.shape,
          data.subspan(static_cast<std::size_t>(entry.begin), static_cast<std::size_t>(bytes))};
}

// The format demands that the tensors, in the order of their offsets, fill the data without gap or overlap.
void check_layout(const std::map<std::string, TensorEntry>& tensors, std::size_t data_size, std::string_view file) {
  std::vector<const std::pair<const std::string, TensorEntry>*> order;
  order.reserve(tensors.size());
  for (const auto& item : tensors) {
    order.push_back(&item);
  }
  std::sort(order.begin(), order.end(), [](const auto* a, const auto* b) {
    return std::pair(a->second.begin, a->second.end) < std::pair(b->second.begin, b->second.end);
  });
  std::uint64_t end = 0;
  for (const auto* item : order) {
    if (item->second.begin != end) {
      fail(file,
           fmt::format("tensor {} begins at byte {} of the data, but byte {} is where the one before it ends ({})",
                       in_quotes(item->first), item->second.begin, end, item->second.begin < end ? "overlap" : "gap"));
    }
    end = item->second.end;
  }
  if (end != data_size) {
    fail(file, fmt::format("{} bytes of data belong to no tensor", data_size - end));
  }
}

// Levenshtein distance, at most a few hundred characters each.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

// How unlike two keys are; a key that only lacks or adds a prefix ("deberta.") counts as very similar.
std::size_t unlikeness(std::string_view wanted, std::string_view key) {
  constexpr std::size_t kLongest = 200;
  constexpr std::size_t kUnlike = 1000;
  if (wanted.size() > kLongest || key.size() > kLongest || wanted.empty() || key.empty()) {
    return kUnlike;
  }
  if (wanted.ends_with(key) || key.ends_with(wanted)) {
    return 1;
  }
  const std::size_t tolerance = 1 + wanted.size() / 6;
  const std::size_t difference = wanted.size() > key.size() ? wanted.size() - key.size() : key.size() - wanted.size();
  if (difference > tolerance) {
    return kUnlike;
  }
  const std::size_t distance = edit_distance(wanted, key);
  return distance > tolerance ? kUnlike : distance;
}

// " (similar: ...)", or nothing.
std::string suggestions(const std::map<std::string, ArrayView>& tensors, std::string_view wanted) {
  constexpr std::size_t kMostCompared = 20'000;  // a voice has about 1200; bounds the time on hostile files
  constexpr std::size_t kMostShown = 3;
  std::vector<std::pair<std::size_t, std::string_view>> similar;
  std::size_t compared = 0;
  for (const auto& [key, view] : tensors) {
    if (++compared > kMostCompared) {
      break;
    }
    const std::size_t rank = unlikeness(wanted, key);
    if (rank < 1000) {
      similar.emplace_back(rank, key);
    }
  }
  std::sort(similar.begin(), similar.end());
  std::string text;
  for (std::size_t i = 0; i < std::min(kMostShown, similar.size()); ++i) {
    text += (i == 0 ? "; similar keys there: " : ", ") + in_quotes(similar[i].second);
  }
  return text;
}

}  // namespace

SafeTensors::SafeTensors(std::shared_ptr<const State> state) : state_(std::move(state)) {}

SafeTensors SafeTensors::open(const std::filesystem::path& path) {
  auto file = MappedFile::open(path);
  const auto bytes = file->bytes();
  return from_bytes(bytes, std::move(file), path);
}

SafeTensors SafeTensors::parse(std::vector<std::byte> bytes, const std::filesystem::path& path) {
  auto owner = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  const std::span<const std::byte> view(*owner);
  return from_bytes(view, std::move(owner), path);
}

SafeTensors SafeTensors::from_bytes(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                                    const std::filesystem::path& path) {
  const std::string file = path.string();
  const std::string_view json = header_text(bytes, file);
  SafeTensorsHeader header = parse_safetensors_header(json, file);
  const auto data = bytes.subspan(sizeof(std::uint64_t) + json.size());
  auto state = std::make_shared<State>();
  for (const auto& [name, entry] : header.tensors) {
    state->tensors.emplace_hint(state->tensors.end(), name, make_view(name, entry, data, file));
  }
  check_layout(header.tensors, data.size(), file);
  state->owner = std::move(owner);
  state->path = path;
  state->metadata = std::move(header.metadata);
  return SafeTensors(std::move(state));
}

bool SafeTensors::has(std::string_view name) const { return state_->tensors.contains(std::string(name)); }

const ArrayView& SafeTensors::get(std::string_view name) const {
  const auto found = state_->tensors.find(std::string(name));
  if (found == state_->tensors.end()) {
    throw Error(fmt::format("{} has no tensor {}{}", path().string(), in_quotes(name), suggestions(tensors(), name)));
  }
  return found->second;
}

std::vector<float> SafeTensors::read_f32(std::string_view name) const {
  const ArrayView& view = get(name);
  try {
    return to_f32(view);
  } catch (const Error& error) {
    throw Error(fmt::format("{}: tensor {}: {}", path().string(), in_quotes(name), error.what()));
  }
}

std::vector<std::int64_t> SafeTensors::read_i64(std::string_view name) const {
  const ArrayView& view = get(name);
  try {
    return to_i64(view);
  } catch (const Error& error) {
    throw Error(fmt::format("{}: tensor {}: {}", path().string(), in_quotes(name), error.what()));
  }
}

const std::map<std::string, ArrayView>& SafeTensors::tensors() const { return state_->tensors; }

const std::map<std::string, std::string>& SafeTensors::metadata() const { return state_->metadata; }

const std::filesystem::path& SafeTensors::path() const { return state_->path; }

}  // namespace hayakoe::tensor
