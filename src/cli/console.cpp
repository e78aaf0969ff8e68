// SPDX-License-Identifier: Apache-2.0
#include "cli/console.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <hayakoe/error.hpp>

#include "text/unicode.hpp"

namespace hayakoe::cli {
namespace {

std::size_t columns_of(char32_t c) {
  // The blocks from Hangul Jamo on are East Asian Wide but for half-width katakana (Unicode, UAX #11), roughly: enough
  // to line up Japanese text.
  constexpr char32_t kFirstWide = 0x1100;
  constexpr char32_t kFirstCjk = 0x2E80;
  constexpr char32_t kFirstHalfWidth = 0xFF61;
  constexpr char32_t kLastHalfWidth = 0xFFDC;
  if (c < kFirstWide || (c >= 0x1160 && c < kFirstCjk)) return 1;
  return c >= kFirstHalfWidth && c <= kLastHalfWidth ? 1 : 2;
}

void to_stderr(const std::string& line) { std::fwrite(line.data(), 1, line.size(), stderr); }

}  // namespace

std::string one_line(std::string_view text) {
  constexpr char32_t kDelete = 0x7F;
  constexpr char32_t kLastControl = 0x9F;
  std::u32string all = text::to_u32(text);
  for (char32_t& c : all) {
    if (c < U' ' || (c >= kDelete && c <= kLastControl) || c == 0x2028 || c == 0x2029) c = U' ';
  }
  return text::to_utf8(all);
}

void complain(std::string_view message) { to_stderr(fmt::format("hayakoe: {}\n", one_line(message))); }

void warn(std::string_view message) { to_stderr(fmt::format("hayakoe: warning: {}\n", one_line(message))); }

void print(std::string_view bytes, bool flush) {
  const bool written = std::fwrite(bytes.data(), 1, bytes.size(), stdout) == bytes.size();
  if (!written || (flush && std::fflush(stdout) != 0)) {
    throw Error(fmt::format("cannot write to the standard output: {}", std::strerror(errno)));
  }
}

std::size_t columns(std::string_view utf8) {
  std::size_t n = 0;
  for (const char32_t c : text::to_u32(utf8)) n += columns_of(c);
  return n;
}

std::string padded(std::string_view text, std::size_t width) {
  const std::size_t used = columns(text);
  return std::string(text) + std::string(used < width ? width - used : 0, ' ');
}

Progress::Progress(bool wanted) : enabled_(wanted && isatty(STDERR_FILENO) == 1) {}

void Progress::show(long done, long total, double audio, double elapsed) {
  constexpr long kLongText = 4;  // sentences; shorter texts are over before the line could be read
  constexpr long kWidth = 24;
  if (!enabled_ || total < kLongText) return;
  const auto filled = static_cast<std::size_t>(std::clamp(kWidth * done / total, 0L, kWidth));
  to_stderr(fmt::format("\r[{:<{}}] {}/{} sentences, {:.1f} s of speech, {:.1f} × real time \x1b[K",
                        std::string(filled, '#'), kWidth, done, total, audio, elapsed > 0 ? audio / elapsed : 0.0));
  visible_ = true;
}

void Progress::clear() {
  if (visible_) to_stderr("\r\x1b[K");
  visible_ = false;
}

}  // namespace hayakoe::cli
