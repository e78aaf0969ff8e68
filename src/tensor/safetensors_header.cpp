// SPDX-License-Identifier: Apache-2.0
#include "tensor/safetensors_header.hpp"

#include <fmt/format.h>

#include <array>
#include <hayakoe/error.hpp>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "tensor/safetensors.hpp"

namespace hayakoe::tensor {
namespace {

constexpr std::string_view kMetadata = "__metadata__";

std::optional<DType> dtype_from_name(std::string_view name) {
  constexpr std::array kAll = {DType::kF32, DType::kF16, DType::kBF16, DType::kF64, DType::kI64,
                               DType::kI32, DType::kI16, DType::kI8,   DType::kU8,  DType::kBool};
  for (const DType dtype : kAll) {
    if (dtype_name(dtype) == name) {
      return dtype;
    }
  }
  return std::nullopt;
}

// A state machine over the parser's events. It knows exactly four nested places and throws on any event that does not
// belong where it occurs, so no input can make it nest deeper.
class HeaderReader final : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit HeaderReader(std::string_view file) : file_(file) {}

  SafeTensorsHeader take() { return std::move(header_); }

  bool null() override { return unexpected("null"); }
  bool boolean(bool /*value*/) override { return unexpected("a boolean"); }
  bool number_float(number_float_t /*value*/, const string_t& text) override {
    return place_ == Place::kNumbers ? bad_number(text) : unexpected("a number");
  }
  bool number_integer(number_integer_t value) override {  // only called for negative numbers
    return place_ == Place::kNumbers ? bad_number(std::to_string(value)) : unexpected("a number");
  }
  bool binary(binary_t& /*value*/) override { return unexpected("binary data"); }

  bool number_unsigned(number_unsigned_t value) override {
    if (place_ != Place::kNumbers) {
      return unexpected("a number");
    }
    if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      return bad_number(std::to_string(value));
    }
    if (numbers_.size() == SafeTensors::kMaxAxes) {
      fail(fmt::format("{} of tensor {} has more than {} numbers", in_quotes(field_), in_quotes(name_),
                       SafeTensors::kMaxAxes));
    }
    numbers_.push_back(static_cast<std::int64_t>(value));
    return true;
  }

  bool string(string_t& value) override {
    if (place_ == Place::kMetadata) {
      header_.metadata[field_] = std::move(value);
      return true;
    }
    if (place_ != Place::kTensor || field_ != "dtype") {
      return unexpected("a string");
    }
    const std::optional<DType> dtype = dtype_from_name(value);
    if (!dtype) {
      fail(
          fmt::format("tensor {} has the unknown dtype {}; F32, F16, BF16, F64, I64, I32, I16, I8, U8 or BOOL is right",
                      in_quotes(name_), in_quotes(value)));
    }
    entry_->dtype = *dtype;
    return true;
  }

  bool start_object(std::size_t /*size*/) override {
    if (place_ == Place::kStart) {
      place_ = Place::kRoot;
    } else if (place_ == Place::kRoot && name_ == kMetadata) {
      place_ = Place::kMetadata;
    } else if (place_ == Place::kRoot) {
      place_ = Place::kTensor;
      has_dtype_ = has_shape_ = has_offsets_ = false;
    } else {
      return unexpected("an object");
    }
    return true;
  }

  bool key(string_t& value) override {
    switch (place_) {
      case Place::kRoot:
        start_entry(value);
        break;
      case Place::kMetadata:
        field_ = std::move(value);
        if (!header_.metadata.emplace(field_, std::string()).second) {
          fail(fmt::format("the key {} occurs twice in __metadata__", in_quotes(field_)));
        }
        break;
      default:
        start_field(value);
        break;
    }
    return true;
  }

  bool end_object() override {
    if (place_ == Place::kTensor && !(has_dtype_ && has_shape_ && has_offsets_)) {
      fail(fmt::format("tensor {} lacks {}", in_quotes(name_),
                       in_quotes(!has_dtype_ ? "dtype" : (!has_shape_ ? "shape" : "data_offsets"))));
    }
    place_ = place_ == Place::kRoot ? Place::kEnd : Place::kRoot;
    return true;
  }

  bool start_array(std::size_t /*size*/) override {
    if (place_ != Place::kTensor || field_ == "dtype") {
      return unexpected("a list");
    }
    place_ = Place::kNumbers;
    numbers_.clear();
    return true;
  }

  bool end_array() override {
    place_ = Place::kTensor;
    if (field_ == "shape") {
      entry_->shape = numbers_;
    } else if (numbers_.size() == 2) {
      entry_->begin = static_cast<std::uint64_t>(numbers_[0]);
      entry_->end = static_cast<std::uint64_t>(numbers_[1]);
    } else {
      fail(fmt::format("data_offsets of tensor {} has {} numbers, but exactly 2 are right", in_quotes(name_),
                       numbers_.size()));
    }
    return true;
  }

  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const nlohmann::json::exception& /*error*/) override {
    fail(fmt::format("the header is not valid JSON at its byte {}", position));
  }

 private:
  enum class Place { kStart, kRoot, kMetadata, kTensor, kNumbers, kEnd };

  void start_entry(std::string& name) {
    name_ = std::move(name);
    if (name_ == kMetadata) {
      if (std::exchange(has_metadata_, true)) {
        fail("__metadata__ occurs twice");
      }
      return;
    }
    const auto [position, is_new] = header_.tensors.try_emplace(name_);
    if (!is_new) {
      fail(fmt::format("the key {} occurs twice", in_quotes(name_)));
    }
    entry_ = &position->second;
  }

  void start_field(std::string& name) {
    field_ = std::move(name);
    bool* const seen = field_ == "dtype"          ? &has_dtype_
                       : field_ == "shape"        ? &has_shape_
                       : field_ == "data_offsets" ? &has_offsets_
                                                  : nullptr;
    if (seen == nullptr) {
      fail(fmt::format("tensor {} has the unknown field {}; dtype, shape and data_offsets are right", in_quotes(name_),
                       in_quotes(field_)));
    }
    if (std::exchange(*seen, true)) {
      fail(fmt::format("tensor {} has the field {} twice", in_quotes(name_), in_quotes(field_)));
    }
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw Error(fmt::format("{} is not a valid safetensors file: {}", file_, what));
  }

  [[noreturn]] bool bad_number(const std::string& number) const {
    fail(fmt::format("{} of tensor {} contains {}, but only whole numbers from 0 to 2^63-1 are right",
                     in_quotes(field_), in_quotes(name_), in_quotes(number)));
  }

  [[noreturn]] bool unexpected(std::string_view what) const {
    switch (place_) {
      case Place::kRoot:
        fail(fmt::format("{} is {}, but an object is right", in_quotes(name_), what));
      case Place::kMetadata:
        fail(fmt::format("{} in __metadata__ is {}, but a string is right", in_quotes(field_), what));
      case Place::kTensor:
        fail(fmt::format("{} of tensor {} is {}, but {} is right", in_quotes(field_), in_quotes(name_), what,
                         field_ == "dtype" ? "a string" : "a list of numbers"));
      case Place::kNumbers:
        fail(fmt::format("{} of tensor {} contains {}, but only numbers are right", in_quotes(field_), in_quotes(name_),
                         what));
      default:
        fail(fmt::format("the header is {}, but an object is right", what));
    }
  }

  std::string_view file_;
  SafeTensorsHeader header_;
  Place place_ = Place::kStart;
  std::string name_;   // the key in the root object
  std::string field_;  // the key in the object below it
  TensorEntry* entry_ = nullptr;
  std::vector<std::int64_t> numbers_;
  bool has_metadata_ = false;
  bool has_dtype_ = false;
  bool has_shape_ = false;
  bool has_offsets_ = false;
};

}  // namespace

SafeTensorsHeader parse_safetensors_header(std::string_view json, std::string_view file) {
  HeaderReader reader(file);
  nlohmann::json::sax_parse(json.begin(), json.end(), &reader);
  return reader.take();
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kLongest = 120;
  std::size_t length = text.size();
  if (length > kLongest) {
    length = kLongest;
    while (length > 0 && (static_cast<unsigned char>(text[length]) & 0xc0U) == 0x80U) {
      --length;  // not within a character
    }
  }
  std::string out = "\"";
  for (const char c : text.substr(0, length)) {
    const bool control = static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    out += control ? '?' : c;
  }
  out += length < text.size() ? "…\"" : "\"";
  return out;
}

}  // namespace hayakoe::tensor
