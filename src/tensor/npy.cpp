// SPDX-License-Identifier: Apache-2.0
#include "tensor/npy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <hayakoe/error.hpp>
#include <limits>
#include <string>
#include <utility>

#include "tensor/array.hpp"
#include "tensor/mapped_file.hpp"

namespace hayakoe::tensor {
namespace {

static_assert(std::endian::native == std::endian::little, "the values are used as they lie, in little-endian order");

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kMaxAxes = 64;  // NumPy's own limit

[[noreturn]] void fail(std::string_view name, const std::string& what) {
  throw Error(fmt::format("{} is not a readable .npy array: {}", name, what));
}

struct Header {
  std::string descr;
  bool fortran_order = false;
  std::vector<std::int64_t> shape;
};

// Reads the header: the text of a Python dictionary with the keys descr, fortran_order and shape, in any order.
class HeaderParser {
 public:
  HeaderParser(std::string_view text, std::string_view name) : text_(text), name_(name) {}

  Header parse() {
    Header header;
    bool has_descr = false;
    bool has_order = false;
    bool has_shape = false;
    expect('{');
    while (peek() != '}') {
      const std::string key = string();
      expect(':');
      if (key == "descr") {
        once(has_descr, key);
        header.descr = descr();
      } else if (key == "fortran_order") {
        once(has_order, key);
        header.fortran_order = boolean();
      } else if (key == "shape") {
        once(has_shape, key);
        header.shape = shape();
      } else {
        fail(name_, "its header has a key other than descr, fortran_order and shape");
      }
      if (peek() != '}') {
        expect(',');
      }
    }
    expect('}');
    peek();
    if (position_ != text_.size()) {
      fail(name_, fmt::format("there is something behind the dictionary at byte {} of its header", position_));
    }
    if (!has_descr || !has_order || !has_shape) {
      fail(name_, fmt::format("its header lacks {}", !has_descr ? "descr" : (!has_order ? "fortran_order" : "shape")));
    }
    return header;
  }

 private:
  // The next character that is not white space, or NUL at the end.
  char peek() {
    while (position_ < text_.size() && (text_[position_] == ' ' || text_[position_] == '\n' ||
                                        text_[position_] == '\t' || text_[position_] == '\r')) {
      ++position_;
    }
    return position_ < text_.size() ? text_[position_] : '\0';
  }

  void expect(char c) {
    if (peek() != c) {
      fail(name_, fmt::format("byte {} of its header should be \"{}\"", position_, c));
    }
    ++position_;
  }

  void once(bool& seen, const std::string& key) {
    if (std::exchange(seen, true)) {
      fail(name_, fmt::format("its header has {} twice", key));
    }
  }

  std::string string() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') {
      fail(name_, fmt::format("byte {} of its header should begin a string", position_));
    }
    const std::size_t end = text_.find(quote, position_ + 1);
    if (end == std::string_view::npos) {
      fail(name_, fmt::format("the string at byte {} of its header does not end", position_));
    }
    std::string value(text_.substr(position_ + 1, end - position_ - 1));
    position_ = end + 1;
    return value;
  }

  std::string descr() {
    if (peek() == '[') {
      fail(name_, "it is a structured array, but plain numbers are right");
    }
    return string();
  }

  bool boolean() {
    peek();
    const std::string_view rest = text_.substr(position_);
    for (const auto& [word, value] : {std::pair<std::string_view, bool>{"True", true}, {"False", false}}) {
      if (rest.starts_with(word)) {
        position_ += word.size();
        return value;
      }
    }
    fail(name_, "fortran_order in its header should be True or False");
  }

  std::vector<std::int64_t> shape() {
    std::vector<std::int64_t> axes;
    bool is_tuple = false;
    expect('(');
    while (peek() != ')') {
      if (axes.size() == kMaxAxes) {
        fail(name_, fmt::format("its shape has more than {} axes", kMaxAxes));
      }
      axes.push_back(number());
      if (peek() != ')') {
        expect(',');
        is_tuple = true;
      }
    }
    expect(')');
    if (axes.size() == 1 && !is_tuple) {
      fail(name_, "its shape is a number, but a tuple is right");
    }
    return axes;
  }

  std::int64_t number() {
    constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
    std::int64_t value = 0;
    const char first = peek();
    if (first < '0' || first > '9') {
      fail(name_, fmt::format("byte {} of its header should be a number that is not negative", position_));
    }
    for (; position_ < text_.size() && text_[position_] >= '0' && text_[position_] <= '9'; ++position_) {
      const std::int64_t digit = text_[position_] - '0';
      if (value > (kMax - digit) / 10) {
        fail(name_, "its shape has a number beyond 64 bits");
      }
      value = value * 10 + digit;
    }
    if (position_ < text_.size() && text_[position_] == 'L') {
      ++position_;  // Python 2 wrote long integers so
    }
    return value;
  }

  std::string_view text_;
  std::string_view name_;
  std::size_t position_ = 0;
};

template <typename T>
void convert(std::span<const std::byte> bytes, std::span<float> out) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    T value;
    std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
    out[i] = static_cast<float>(value);
  }
}

void convert_half(std::span<const std::byte> bytes, std::span<float> out) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    std::uint16_t value = 0;
    std::memcpy(&value, bytes.data() + i * sizeof value, sizeof value);
    out[i] = f16_to_f32(value);
  }
}

void convert_bool(std::span<const std::byte> bytes, std::span<float> out) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = bytes[i] == std::byte{0} ? 0.0F : 1.0F;
  }
}

struct Type {
  std::string_view code;  // of descr, without the byte order
  std::size_t size;
  void (*convert)(std::span<const std::byte>, std::span<float>);
};

constexpr Type kTypes[] = {
    {"f4", 4, convert<float>},         {"f8", 8, convert<double>},        {"f2", 2, convert_half},
    {"i1", 1, convert<std::int8_t>},   {"i2", 2, convert<std::int16_t>},  {"i4", 4, convert<std::int32_t>},
    {"i8", 8, convert<std::int64_t>},  {"u1", 1, convert<std::uint8_t>},  {"u2", 2, convert<std::uint16_t>},
    {"u4", 4, convert<std::uint32_t>}, {"u8", 8, convert<std::uint64_t>}, {"b1", 1, convert_bool},
};

const Type& find_type(std::string_view descr, std::string_view name) {
  constexpr std::string_view kOrders = "<>|=";
  if (descr.size() == 3 && kOrders.find(descr[0]) != std::string_view::npos) {
    for (const Type& type : kTypes) {
      if (type.code != descr.substr(1)) {
        continue;
      }
      if (descr[0] == '>' && type.size > 1) {
        fail(name, fmt::format("its numbers are big-endian ({}), but little-endian (<{}) is right", descr, type.code));
      }
      return type;
    }
  }
  const bool printable =
      descr.size() <= 16 && std::all_of(descr.begin(), descr.end(), [](char c) { return c > ' ' && c < 0x7f; });
  fail(name, fmt::format("its type {} is not supported; <f2, <f4, <f8, |i1 to <i8, |u1 to <u8 or |b1 is right",
                         printable ? descr : "in the header"));
}

// Where the header lies in the file.
struct Layout {
  std::size_t begin = 0;
  std::size_t end = 0;
};

Layout find_header(std::span<const std::byte> bytes, std::string_view name) {
  constexpr std::size_t kVersionAt = 6;
  if (bytes.size() < 10 || std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) != 0) {
    fail(name, "it does not start as such a file does");
  }
  const auto major = std::to_integer<unsigned>(bytes[kVersionAt]);
  const auto minor = std::to_integer<unsigned>(bytes[kVersionAt + 1]);
  if (major < 1 || major > 3 || minor != 0) {
    fail(name, fmt::format("its version is {}.{}, but 1.0, 2.0 or 3.0 is right", major, minor));
  }
  const std::size_t width = major == 1 ? 2 : 4;
  const std::size_t begin = kVersionAt + 2 + width;
  if (bytes.size() < begin) {
    fail(name, "it ends within its header (truncated?)");
  }
  std::uint32_t length = 0;
  std::memcpy(&length, bytes.data() + kVersionAt + 2, width);
  if (length > bytes.size() - begin) {
    fail(name,
         fmt::format("it states a header of {} bytes, but only {} follow (truncated?)", length, bytes.size() - begin));
  }
  return {begin, begin + length};
}

std::vector<float> transposed(std::span<const float> values, std::size_t rows, std::size_t columns) {
  std::vector<float> out(values.size());
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t column = 0; column < columns; ++column) {
      out[row * columns + column] = values[column * rows + row];
    }
  }
  return out;
}

}  // namespace

NpyArray parse_npy(std::span<const std::byte> bytes, std::string_view name) {
  const Layout layout = find_header(bytes, name);
  const auto text = bytes.subspan(layout.begin, layout.end - layout.begin);
  Header header = HeaderParser({reinterpret_cast<const char*>(text.data()), text.size()}, name).parse();
  const Type& type = find_type(header.descr, name);
  std::uint64_t elements = 0;
  try {
    elements = static_cast<std::uint64_t>(element_count(header.shape));
  } catch (const Error& error) {
    fail(name, error.what());
  }
  const auto data = bytes.subspan(layout.end);
  if (data.size() % type.size != 0 || data.size() / type.size != elements) {
    fail(name, fmt::format("shape {} of type {} needs {} elements of {} bytes, but {} bytes follow the header",
                           shape_string(header.shape), header.descr, elements, type.size, data.size()));
  }
  const bool transpose = header.fortran_order && header.shape.size() > 1 && elements > 0;
  if (transpose && header.shape.size() > 2) {
    fail(name, fmt::format("it is in Fortran order with {} axes, but C order is right for more than two",
                           header.shape.size()));
  }
  std::vector<float> values(static_cast<std::size_t>(elements));
  type.convert(data, values);
  if (transpose) {
    values = transposed(values, static_cast<std::size_t>(header.shape[0]), static_cast<std::size_t>(header.shape[1]));
  }
  return {std::move(header.shape), std::move(values)};
}

NpyArray read_npy(const std::filesystem::path& path) {
  const auto file = MappedFile::open(path);
  return parse_npy(file->bytes(), path.string());
}

}  // namespace hayakoe::tensor
