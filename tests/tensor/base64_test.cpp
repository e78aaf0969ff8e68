// SPDX-License-Identifier: Apache-2.0
#include "tensor/base64.hpp"

#include <gtest/gtest.h>

#include "file_helpers.hpp"

namespace hayakoe::tensor {
namespace {

using test::expect_error;

std::string decoded(std::string_view text) {
  const auto bytes = decode_base64(text, "x");
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TEST(Base64, VectorsOfRfc4648) {
  EXPECT_EQ(decoded(""), "");
  EXPECT_EQ(decoded("Zg=="), "f");
  EXPECT_EQ(decoded("Zm8="), "fo");
  EXPECT_EQ(decoded("Zm9v"), "foo");
  EXPECT_EQ(decoded("Zm9vYg=="), "foob");
  EXPECT_EQ(decoded("Zm9vYmE="), "fooba");
  EXPECT_EQ(decoded("Zm9vYmFy"), "foobar");
}

TEST(Base64, EveryCharacterOfTheAlphabet) {
  constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (unsigned i = 0; i < 64; ++i) {
    const std::string text = {'A', 'A', 'A', kAlphabet[i]};
    EXPECT_EQ(decoded(text), std::string({'\0', '\0', static_cast<char>(i)}));
  }
  EXPECT_EQ(decoded("//79"), "\xff\xfe\xfd");
}

TEST(Base64, WhiteSpaceAnywhere) {
  EXPECT_EQ(decoded(" Zm9\r\nv\tYg =\n=\n"), "foob");
  EXPECT_EQ(decoded(" \n"), "");
}

TEST(Base64, RefusesWhatIsWrong) {
  const auto refused = [](std::string_view text, std::string_view part) {
    expect_error([&] { (void)decode_base64(text, "aivm_style_vectors"); }, {"aivm_style_vectors", part});
  };
  refused("Zm9v!m9v", "byte 4");
  refused("Zm9_", "95");
  refused(std::string_view("Zm\0v", 4), "byte 2");
  refused("Zm9vあ", "byte 4");
  refused("Zg", "multiple of four");
  refused("Zg=", "multiple of four");
  refused("Z", "multiple of four");
  refused("Zm9vZm8", "multiple of four");
  refused("=", "byte 0");
  refused("Z===", "byte 1");
  refused("Zg===", "byte 4");
  refused("Zm9v=", "byte 4");
  refused("Zm8=Zm8=", "after");
  refused("Zg=v", "after");
  refused("Zh==", "bits");
  refused("Zm9=", "bits");
}

TEST(Base64, LongInputIsLinear) {
  std::string text(40'000'000, 'A');
  EXPECT_EQ(decode_base64(text, "x").size(), 30'000'000U);
}

}  // namespace
}  // namespace hayakoe::tensor
