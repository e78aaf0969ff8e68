// SPDX-License-Identifier: Apache-2.0
#include "tensor/npy.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <limits>

#include "file_helpers.hpp"

namespace hayakoe::tensor {
namespace {

using test::expect_error;
using test::le;
using Shape = std::vector<std::int64_t>;
using Values = std::vector<float>;

std::string npy(std::string_view header, std::string_view data, int major = 1) {
  std::string out = "\x93NUMPY";
  out += static_cast<char>(major);
  out += '\0';
  out += major == 1 ? le(static_cast<std::uint16_t>(header.size())) : le(static_cast<std::uint32_t>(header.size()));
  return out + std::string(header) + std::string(data);
}

std::string header(std::string_view descr, std::string_view shape, std::string_view order = "False") {
  return "{'descr': '" + std::string(descr) + "', 'fortran_order': " + std::string(order) +
         ", 'shape': " + std::string(shape) + ", }      \n";
}

template <typename... T>
std::string data(T... values) {
  return (le(values) + ...);
}

NpyArray parse(const std::string& file) { return parse_npy(test::as_bytes(file), "styles"); }

TEST(Npy, ReadsTheStyleVectors) {
  const auto array = read_npy(test::kData / "voice-tiny" / "style_vectors.npy");
  EXPECT_EQ(array.shape, (Shape{3, 256}));
  ASSERT_EQ(array.values.size(), 768U);
  EXPECT_EQ(array.values[0], std::bit_cast<float>(0x3f065baeU));  // the first bytes of the data: ae 5b 06 3f
  EXPECT_EQ(array.values[1], std::bit_cast<float>(0xbdafc364U));
}

TEST(Npy, EveryType) {
  const Values want = {1, 0, 3};
  using i8 = std::int8_t;
  using u8 = std::uint8_t;
  EXPECT_EQ(parse(npy(header("<f4", "(3,)"), data(1.0F, 0.0F, 3.0F))).values, want);
  EXPECT_EQ(parse(npy(header("<f8", "(3,)"), data(1.0, 0.0, 3.0))).values, want);
  EXPECT_EQ(parse(npy(header("<f2", "(3,)"), std::string("\x00\x3c\x00\x00\x00\x42", 6))).values, want);
  EXPECT_EQ(parse(npy(header("|i1", "(3,)"), data(i8{1}, i8{0}, i8{-3}))).values, (Values{1, 0, -3}));
  EXPECT_EQ(parse(npy(header("|u1", "(3,)"), data(u8{1}, u8{0}, u8{253}))).values, (Values{1, 0, 253}));
  EXPECT_EQ(parse(npy(header("|b1", "(3,)"), data(u8{1}, u8{0}, u8{255}))).values, (Values{1, 0, 1}));
  EXPECT_EQ(parse(npy(header("<i2", "(2,)"), data(std::int16_t{-2}, std::int16_t{300}))).values, (Values{-2, 300}));
  EXPECT_EQ(parse(npy(header("<u2", "(1,)"), data(std::uint16_t{65535}))).values, Values{65535});
  EXPECT_EQ(parse(npy(header("<i4", "(3,)"), data(1, 0, 3))).values, want);
  EXPECT_EQ(parse(npy(header("<u4", "(1,)"), data(0xffffffffU))).values, Values{0x1p32F});
  EXPECT_EQ(parse(npy(header("<i8", "(3,)"), data(std::int64_t{1}, std::int64_t{0}, std::int64_t{3}))).values, want);
  EXPECT_EQ(parse(npy(header("<u8", "(1,)"), data(~std::uint64_t{0}))).values, Values{0x1p64F});
  EXPECT_EQ(parse(npy(header("=f4", "(1,)"), data(2.0F))).values, Values{2});
  EXPECT_EQ(parse(npy(header(">i1", "(1,)"), data(i8{7}))).values, Values{7});
}

TEST(Npy, EveryVersionAndWayToWriteTheHeader) {
  for (const int major : {1, 2, 3}) {
    EXPECT_EQ(parse(npy(header("<f4", "(1, 2)"), data(5.0F, 6.0F), major)).shape, (Shape{1, 2}));
  }
  const std::string numbers = data(1.0F, 2.0F);
  const Values want = {1, 2};
  EXPECT_EQ(parse(npy("{\"shape\":(2,),\"fortran_order\":False,\"descr\":\"<f4\"}", numbers)).values, want);
  EXPECT_EQ(
      parse(npy("\n{ 'shape' :\t( 1L , 2L , ) , 'descr' : '<f4' , 'fortran_order' : False , } \n", numbers)).shape,
      (Shape{1, 2}));
  EXPECT_EQ(parse(npy(header("<f4", "()"), data(4.0F))).shape, Shape{});
  EXPECT_EQ(parse(npy(header("<f4", "()"), data(4.0F))).values, Values{4});
  EXPECT_EQ(parse(npy(header("<f4", "(0, 3)"), "")).shape, (Shape{0, 3}));
}

TEST(Npy, FortranOrder) {
  const std::string numbers = data(1.0F, 2.0F, 3.0F, 4.0F, 5.0F, 6.0F);
  // Columns first: the array is [[1, 3, 5], [2, 4, 6]].
  const auto array = parse(npy(header("<f4", "(2, 3)", "True"), numbers));
  EXPECT_EQ(array.shape, (Shape{2, 3}));
  EXPECT_EQ(array.values, (Values{1, 3, 5, 2, 4, 6}));
  EXPECT_EQ(parse(npy(header("<f4", "(6,)", "True"), numbers)).values, (Values{1, 2, 3, 4, 5, 6}));
  expect_error([&] { (void)parse(npy(header("<f4", "(1, 2, 3)", "True"), numbers)); }, {"styles", "Fortran"});
  // No data, but a loop over the rows alone would never end.
  EXPECT_TRUE(parse(npy(header("<f4", "(9223372036854775807, 0)", "True"), "")).values.empty());
}

void refused(const std::string& file, std::string_view part) {
  expect_error([&] { (void)parse(file); }, {"styles", part});
}

TEST(Npy, RefusesTypes) {
  const std::string numbers(16, '\0');
  refused(npy(header(">f4", "(4,)"), numbers), "big-endian");
  refused(npy(header("<c8", "(2,)"), numbers), "<c8");
  refused(npy(header("|O", "(2,)"), numbers), "|O");
  refused(npy(header("<U4", "(1,)"), numbers), "<U4");
  refused(npy(header("", "(1,)"), numbers), "type");
  refused(npy(header("f4", "(4,)"), numbers), "f4");
  refused(npy(header("<f16", "(1,)"), numbers), "<f16");
  refused(npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (4,)}", numbers), "structured");
}

TEST(Npy, RefusesSizes) {
  const std::string numbers = data(1.0F, 2.0F);
  refused(npy(header("<f4", "(3,)"), numbers), "[3]");
  refused(npy(header("<f4", "(1,)"), numbers), "8 bytes");
  refused(npy(header("<f4", "(2,)"), numbers + "x"), "9 bytes");
  refused(npy(header("<f4", "(4611686018427387904,)"), numbers), "8 bytes");  // times four is 0 in 64 bits
  refused(npy(header("<f4", "(4294967296, 4294967296)"), ""), "64-bit");
  refused(npy(header("<f4", "(99999999999999999999,)"), ""), "64 bits");
  refused(npy(header("<f4", "(-1,)"), numbers), "negative");
}

TEST(Npy, RefusesHeaders) {
  const std::string numbers = data(1.0F, 2.0F);
  refused("", "start");
  refused("\x93NUMPY", "start");
  refused("PK\x03\x04 a zip file instead", "start");
  refused(npy(header("<f4", "(2,)"), numbers, 4), "4.0");
  refused(npy(header("<f4", "(2,)"), numbers, 0), "0.0");
  refused(std::string("\x93NUMPY\x02\x00\x01\x00\x00", 11), "truncated");
  refused(std::string("\x93NUMPY\x02\x00\xff\xff\xff\xff{}", 14), "truncated");
  refused(npy("", numbers), "{");
  refused(npy("{", numbers), "string");
  refused(npy("{}", numbers), "descr");
  refused(npy("{'descr': '<f4', 'shape': (2,)}", numbers), "fortran_order");
  refused(npy("{'descr': '<f4', 'fortran_order': False}", numbers), "shape");
  refused(npy("{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", numbers), "twice");
  refused(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), 'x': 1}", numbers), "key");
  refused(npy("{'descr': '<f4', 'fortran_order': 0, 'shape': (2,)}", numbers), "True or False");
  refused(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2)}", numbers), "tuple");
  refused(npy("{'descr': '<f4', 'fortran_order': False, 'shape': [2]}", numbers), "(");
  refused(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2.5,)}", numbers), ",");
  refused(npy("{'descr': '<f4' 'fortran_order': False, 'shape': (2,)}", numbers), ",");
  refused(npy("{'descr': '<f4, ", numbers), "does not end");
  refused(npy(header("<f4", "(2,)") + "{", numbers), "behind");
  refused(npy(header("<f4", "(2,)") + std::string(1, '\0'), numbers), "behind");
  std::string axes = "(";
  for (int i = 0; i < 65; ++i) {
    axes += "1,";
  }
  refused(npy(header("<f4", axes + ")"), data(1.0F)), "64 axes");
}

TEST(Npy, NamesTheFile) {
  const test::TempFolder folder;
  const auto path = test::write_file(folder.path() / "bad.npy", "nonsense, but long enough");
  expect_error([&] { (void)read_npy(path); }, {path.string()});
  expect_error([&] { (void)read_npy(folder.path() / "absent.npy"); }, {"absent.npy", "No such file"});
}

}  // namespace
}  // namespace hayakoe::tensor
