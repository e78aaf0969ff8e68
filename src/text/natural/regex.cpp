// SPDX-License-Identifier: Apache-2.0
#include "text/natural/regex.hpp"

#define PCRE2_CODE_UNIT_WIDTH 32
#include <fmt/format.h>
#include <pcre2.h>

#include <cstdint>
#include <stdexcept>

#include "text/unicode.hpp"

namespace hayakoe::text::natural {
namespace {

PCRE2_SPTR units(std::u32string_view text) { return reinterpret_cast<PCRE2_SPTR>(text.data()); }

struct MatchDataDeleter {
  void operator()(pcre2_match_data* data) const { pcre2_match_data_free(data); }
};

}  // namespace

std::u32string_view Match::operator[](std::size_t i) const {
  return has(i) ? text_.substr(ends_[2 * i], ends_[2 * i + 1] - ends_[2 * i]) : std::u32string_view();
}

bool Match::has(std::size_t i) const { return 2 * i + 1 < ends_.size() && ends_[2 * i] != PCRE2_UNSET; }

struct Regex::Code {
  pcre2_code* code = nullptr;
  Code() = default;
  ~Code() { pcre2_code_free(code); }
  Code(const Code&) = delete;
  Code& operator=(const Code&) = delete;
};

Regex::Regex(std::u32string_view pattern) : code_(std::make_unique<Code>()) {
  int error = 0;
  PCRE2_SIZE offset = 0;
  code_->code = pcre2_compile(units(pattern), pattern.size(), PCRE2_UTF | PCRE2_UCP, &error, &offset, nullptr);
  if (code_->code == nullptr) {
    throw std::logic_error(fmt::format("pattern \"{}\": error {} at character {}", to_utf8(pattern), error, offset));
  }
  // Without the compiler for this CPU the interpreter does the same, slower.
  pcre2_jit_compile(code_->code, PCRE2_JIT_COMPLETE);
}

Regex::~Regex() = default;

std::optional<Match> Regex::find(std::u32string_view text, std::size_t from) const {
  constexpr std::uint32_t kMostGroups = 32;
  thread_local const std::unique_ptr<pcre2_match_data, MatchDataDeleter> data(
      pcre2_match_data_create(kMostGroups, nullptr));
  // The text comes from to_u32 and nfkc, which only make valid code points: checking it again from every match on
  // would take quadratic time.
  const int groups = pcre2_match(code_->code, units(text), text.size(), from, PCRE2_NO_UTF_CHECK, data.get(), nullptr);
  if (groups <= 0) return std::nullopt;
  const PCRE2_SIZE* ends = pcre2_get_ovector_pointer(data.get());
  return Match(text, std::vector<std::size_t>(ends, ends + 2 * static_cast<std::size_t>(groups)));
}

void replace_all(std::u32string& text, const Regex& regex, const Replacement& replacement) {
  std::u32string out;
  std::size_t done = 0;
  std::size_t from = 0;
  while (from <= text.size()) {
    const auto match = regex.find(text, from);
    if (!match) break;
    from = match->end() > match->begin() ? match->end() : match->end() + 1;
    const auto with = replacement(*match);
    if (!with) continue;
    out.append(text, done, match->begin() - done);
    out += *with;
    done = match->end();
  }
  if (done == 0 && out.empty()) return;
  out.append(text, done);
  text = std::move(out);
}

}  // namespace hayakoe::text::natural
