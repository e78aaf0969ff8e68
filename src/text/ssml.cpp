// SPDX-License-Identifier: Apache-2.0
// SSML → spans. The elements that give a reading become the notation [[表記|ヨミ|アクセント]].
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <hayakoe/error.hpp>
#include <pugixml.hpp>
#include <sstream>

#include "text/markup.hpp"
#include "text/natural/letters.hpp"
#include "text/natural/number_words.hpp"
#include "text/unicode.hpp"
#include "text/user_words.hpp"

namespace hayakoe::text {
namespace {

constexpr int kDeepest = 64;  // elements inside elements

struct NamedValue {
  std::string_view name;
  double value;
};

constexpr std::array<NamedValue, 6> kStrengths = {
    {{"none", 0.0}, {"x-weak", 0.1}, {"weak", 0.25}, {"medium", 0.5}, {"strong", 0.8}, {"x-strong", 1.2}}};
constexpr std::array<NamedValue, 6> kRates = {
    {{"x-slow", 0.5}, {"slow", 0.75}, {"medium", 1.0}, {"fast", 1.25}, {"x-fast", 1.6}, {"default", 1.0}}};
constexpr std::array<NamedValue, 6> kPitches = {
    {{"x-low", 0.75}, {"low", 0.88}, {"medium", 1.0}, {"high", 1.12}, {"x-high", 1.3}, {"default", 1.0}}};

// The name of a letter or of a digit as numbers are dictated; empty for others.
std::string_view spoken_character(char32_t c) {
  const std::string_view digit = natural::digit_name(c);
  return digit.empty() ? natural::letter_name(c) : digit;
}

template <std::size_t N>
std::optional<double> value_of(const std::array<NamedValue, N>& names, std::string_view name) {
  for (const NamedValue& named : names) {
    if (named.name == name) return named.value;
  }
  return std::nullopt;
}

struct Quantity {
  bool relative = false;  // written with + or −
  double number = 0.0;
  std::string_view unit;
};

std::optional<Quantity> quantity_of(std::string_view text) {
  Quantity q;
  q.relative = text.starts_with('+') || text.starts_with('-');
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), q.number);
  if (error != std::errc() || !std::isfinite(q.number)) return std::nullopt;
  q.unit = text.substr(static_cast<std::size_t>(end - text.data()));
  return q;
}

struct Manner {
  double rate = 1.0;
  double pitch = 1.0;
};

class Reader {
 public:
  Reader(std::string_view source, Rules rules) : source_(source), rules_(rules) {}

  std::vector<Span> read() {
    pugi::xml_document document;
    constexpr unsigned kParse = pugi::parse_cdata | pugi::parse_escapes | pugi::parse_eol | pugi::parse_ws_pcdata;
    const auto result = document.load_buffer(source_.data(), source_.size(), kParse, pugi::encoding_utf8);
    if (!result) fail(result.offset, fmt::format("this is not XML: {}", result.description()));
    const pugi::xml_node root = document.document_element();
    if (root.name() != std::string_view("speak")) {
      fail(root.offset_debug(), fmt::format("the root is <{}>; SSML begins with <speak>", root.name()));
    }
    children(root, {}, 1);
    return std::move(spans_);
  }

 private:
  [[noreturn]] void fail(std::ptrdiff_t offset, const std::string& what) const {
    const auto length = static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(offset, 0, std::ssize(source_)));
    const auto line = 1 + std::count(source_.begin(), source_.begin() + static_cast<std::ptrdiff_t>(length), '\n');
    throw Error(fmt::format("SSML, line {}: {}.", line, what));
  }

  void check_attributes(const pugi::xml_node& node, std::initializer_list<std::string_view> known) const {
    for (const auto& attribute : node.attributes()) {
      if (std::find(known.begin(), known.end(), attribute.name()) != known.end()) continue;
      std::string names;
      for (const auto& name : known) names += fmt::format("{}{}", names.empty() ? "" : ", ", name);
      fail(node.offset_debug(), fmt::format("<{}> has an attribute \"{}\", which is not supported; known here: {}",
                                            node.name(), attribute.name(), names));
    }
  }

  std::string_view required(const pugi::xml_node& node, const char* name) const {
    const auto attribute = node.attribute(name);
    if (attribute.empty()) fail(node.offset_debug(), fmt::format("<{}> needs the attribute \"{}\"", node.name(), name));
    return attribute.value();
  }

  [[noreturn]] void bad_value(const pugi::xml_node& node, const char* name, std::string_view right) const {
    fail(node.offset_debug(),
         fmt::format("<{} {}=\"{}\">: use {}", node.name(), name, node.attribute(name).value(), right));
  }

  void children(const pugi::xml_node& parent, const Manner& manner, int depth) {
    if (depth > kDeepest) fail(parent.offset_debug(), fmt::format("more than {} elements are nested", kDeepest));
    for (const pugi::xml_node& node : parent.children()) {
      if (node.type() == pugi::node_element) {
        element(node, manner, depth);
      } else {
        add_text(node.value(), manner);
      }
    }
  }

  void element(const pugi::xml_node& node, const Manner& manner, int depth) {
    const std::string_view name = node.name();
    if (name == "p" || name == "s") {
      check_attributes(node, {"xml:lang"});
      end_sentence();
      children(node, manner, depth + 1);
      end_sentence();
    } else if (name == "break") {
      add_pause(pause_of(node));
    } else if (name == "prosody") {
      children(node, manner_of(node, manner), depth + 1);
    } else if (name == "sub") {
      check_attributes(node, {"alias"});
      add_text(required(node, "alias"), manner);
    } else if (name == "say-as") {
      check_attributes(node, {"interpret-as", "format", "detail"});
      add_text(say_as(node), manner);
    } else if (name == "phoneme") {
      check_attributes(node, {"alphabet", "ph"});
      add_text(phoneme(node), manner);
    } else {
      fail(node.offset_debug(),
           fmt::format("<{}> is not supported; known are speak, p, s, break, prosody, sub, say-as and phoneme", name));
    }
  }

  // The text of an element that may hold nothing else.
  std::string plain_text(const pugi::xml_node& node) const {
    for (const pugi::xml_node& child : node.children()) {
      if (child.type() == pugi::node_element)
        fail(child.offset_debug(), fmt::format("<{}> may only hold text", node.name()));
    }
    return std::string(strip(std::string_view(node.text().get())));
  }

  double pause_of(const pugi::xml_node& node) const {
    check_attributes(node, {"time", "strength"});
    if (const auto time = node.attribute("time")) {
      const auto q = quantity_of(time.value());
      const double seconds = !q ? -1.0 : q->unit == "ms" ? q->number / 1000.0 : q->unit == "s" ? q->number : -1.0;
      if (!(seconds >= 0.0 && seconds <= kLongestPause))
        bad_value(node, "time", "a time such as 500ms or 0.5s, up to 60s");
      return seconds;
    }
    const auto strength = value_of(kStrengths, node.attribute("strength").as_string("medium"));
    if (!strength) bad_value(node, "strength", "none, x-weak, weak, medium, strong or x-strong");
    return *strength;
  }

  Manner manner_of(const pugi::xml_node& node, Manner manner) const {
    check_attributes(node, {"rate", "pitch"});
    if (const auto attribute = node.attribute("rate")) {
      const double rate = factor(kRates, attribute.value(), false);
      if (!(rate >= 0.1 && rate <= 10.0))
        bad_value(node, "rate", "x-slow to x-fast, or a factor such as 1.2, 120% or +20%, from 0.1 to 10");
      manner.rate *= rate;
    }
    if (const auto attribute = node.attribute("pitch")) {
      const double pitch = factor(kPitches, attribute.value(), true);
      if (!(pitch >= 0.5 && pitch <= 2.0))
        bad_value(node, "pitch", "x-low to x-high, or a change such as +10% or -2st, within an octave");
      manner.pitch *= pitch;
    }
    return manner;
  }

  // "slow", "1.2", "120%", "+20%"; for a pitch "+2st" (semitones), and no bare number, which would be hertz. −1 if it
  // is none of them.
  template <std::size_t N>
  static double factor(const std::array<NamedValue, N>& names, std::string_view text, bool semitones) {
    if (const auto named = value_of(names, text)) return *named;
    const auto q = quantity_of(text);
    if (!q) return -1.0;
    if (q->unit == "%") return q->relative ? 1.0 + q->number / 100.0 : q->number / 100.0;
    if (semitones) return q->unit == "st" ? std::exp2(q->number / 12.0) : -1.0;
    return q->unit.empty() && !q->relative ? q->number : -1.0;
  }

  std::string say_as(const pugi::xml_node& node) const {
    const std::string_view as = required(node, "interpret-as");
    std::string text = plain_text(node);
    const auto is_one_of = [&](std::initializer_list<std::string_view> names) {
      return std::find(names.begin(), names.end(), as) != names.end();
    };
    if (is_one_of({"characters", "spell-out", "verbatim", "digits", "number_digit"})) return spelt(text, false);
    if (is_one_of({"telephone"})) return spelt(text, true);
    if (is_one_of({"cardinal", "number"})) return without_leading_zeros(text);
    if (is_one_of({"date"})) return as_date(text);
    if (is_one_of({"ordinal", "time"})) return text;
    bad_value(node, "interpret-as", "characters, digits, telephone, cardinal, ordinal, date or time");
  }

  // Character by character; a hyphen of a telephone number is a short pause.
  std::string spelt(const std::string& text, bool telephone) const {
    std::string out;
    for (const char32_t c : nfkc(to_u32(text))) {
      const auto name = spoken_character(c);
      if (name.empty()) {
        if (telephone && (c == U'-' || c == U'(' || c == U')')) out += "、";
        if (!telephone) append_utf8(out, c);
      } else {
        out += with_reading(to_utf8(c), std::string(name), 1);
      }
    }
    return out;
  }

  static std::string without_leading_zeros(std::string text) {
    const auto first = text.find_first_not_of('0');
    if (first == std::string::npos || text[first] < '0' || text[first] > '9') return text;
    return text.substr(first);
  }

  // 10/11 and 10-11 are months and days; other dates are read as usual.
  static std::string as_date(const std::string& text) {
    const auto divider = text.find_first_of("/-");
    const bool two = divider != std::string::npos && text.find_first_of("/-", divider + 1) == std::string::npos;
    const bool digits = text.find_first_not_of("0123456789/-") == std::string::npos;
    if (!two || !digits || divider == 0 || divider + 1 == text.size()) return text;
    return without_leading_zeros(text.substr(0, divider)) + "月" + without_leading_zeros(text.substr(divider + 1)) +
           "日";
  }

  std::string phoneme(const pugi::xml_node& node) const {
    const std::string_view alphabet = node.attribute("alphabet").as_string("kana");
    constexpr std::array<std::string_view, 5> kKana = {"kana", "yomigana", "x-kana", "x-amazon-pron-kana", "sapi"};
    if (std::find(kKana.begin(), kKana.end(), alphabet) == kKana.end())
      bad_value(node, "alphabet", "kana (katakana or hiragana, ' behind the mora after which the pitch falls)");
    std::u32string kana;
    int accent = 0;
    for (char32_t c : nfkc(to_u32(required(node, "ph")))) {
      if (c == U'\'' || c == U'’' || c == U'＼' || c == U'\\') {
        accent = count_moras(to_utf8(kana));
        continue;
      }
      if (c >= U'ぁ' && c <= U'ゖ') c += U'ア' - U'あ';
      kana += c;
    }
    if (!is_speakable_reading(to_utf8(kana)))
      bad_value(node, "ph", "katakana or hiragana, with ' behind the mora after which the pitch falls");
    std::string surface = plain_text(node);
    if (surface.empty() || surface.find_first_of("|[]") != std::string::npos) surface = to_utf8(kana);
    return with_reading(surface, to_utf8(kana), accent);
  }

  std::string with_reading(const std::string& surface, const std::string& kana, int accent) const {
    return rules_ == Rules::kNatural ? fmt::format("[[{}|{}|{}]]", surface, kana, accent) : kana;
  }

  // White space of XML is a space; a line end ends no sentence here.
  void add_text(std::string_view raw, const Manner& manner) {
    const bool same = !spans_.empty() && spans_.back().rate == manner.rate && spans_.back().pitch == manner.pitch;
    const bool unspoken = !spans_.empty() && spans_.back().text.empty();
    const bool begins = spans_.empty() || unspoken || !same || spans_.back().text.ends_with('\n');
    std::string text;
    for (const char c : raw) {
      const bool space = c == ' ' || c == '\n' || c == '\t' || c == '\r';
      if (!space) {
        text += c;
      } else if (!(text.empty() && begins) && !text.ends_with(' ')) {
        text += ' ';
      }
    }
    if (text.empty()) return;
    if (unspoken) {
      spans_.back().rate = manner.rate;
      spans_.back().pitch = manner.pitch;
    } else if (!same) {
      // Where only the manner changes, a sentence goes on without a pause.
      spans_.push_back({"", ends_sentence() ? std::nullopt : std::optional(0.0), manner.rate, manner.pitch});
    }
    spans_.back().text += text;
  }

  bool ends_sentence() const {
    if (spans_.empty()) return true;
    const auto text = to_u32(strip(std::string_view(spans_.back().text)));
    return text.empty() || std::u32string_view(U"。！？!?\n」』").find(text.back()) != std::u32string_view::npos;
  }

  void end_sentence() {
    if (spans_.empty() || spans_.back().text.empty() || spans_.back().text.ends_with('\n')) return;
    spans_.back().text += '\n';
  }

  void add_pause(double seconds) {
    if (!spans_.empty() && spans_.back().text.empty()) {
      spans_.back().pause_before = std::min(spans_.back().pause_before.value_or(0.0) + seconds, kLongestPause);
    } else {
      spans_.push_back({"", seconds, 1.0, 1.0});
    }
  }

  std::string_view source_;
  Rules rules_;
  std::vector<Span> spans_;
};

}  // namespace

std::vector<Span> parse_ssml(std::string_view ssml, Rules rules) {
  std::vector<Span> spans = Reader(ssml, rules).read();
  if (rules != Rules::kNatural) return spans;
  std::vector<Span> out;
  for (const Span& span : spans) {
    auto parts = parse_pauses(span.text);
    if (span.pause_before && !parts.front().pause_before) parts.front().pause_before = span.pause_before;
    for (Span& part : parts) out.push_back({std::move(part.text), part.pause_before, span.rate, span.pitch});
  }
  return out;
}

}  // namespace hayakoe::text
