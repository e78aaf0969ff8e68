// SPDX-License-Identifier: Apache-2.0
#include "text/njd/digits.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <vector>

#include "text/njd/tables.hpp"

namespace hayakoe::text::njd {
namespace {

using Iterator = Morphemes::iterator;

constexpr std::size_t kMaxDigits = 72;  // up to 無量大数

bool is_point(const Morpheme& w) { return w.string == "．" || w.string == "・"; }
bool is_comma(const Morpheme& w) { return w.string == "，"; }

bool is_dash(const Morpheme& w) {
  constexpr std::array<std::string_view, 5> kDashes = {"―", "−", "‐", "—", "－"};
  return std::find(kDashes.begin(), kDashes.end(), w.string) != kDashes.end();
}

bool is_counter(const Morpheme& w) { return w.g2 == "助数詞" || w.g1 == "副詞可能"; }

int value_of(const Morpheme& w) {
  const Numeral* numeral = Tables::get().numeral(w.string);
  return numeral == nullptr ? -1 : numeral->value;
}

// The conversion of one maximal run of digits, points and commas.
class Run {
 public:
  Run(Morphemes& words, std::vector<Iterator> members) : words_(words), members_(std::move(members)) {
    next_comma_.assign(members_.size() + 1, members_.size());
    for (std::size_t i = members_.size(); i-- > 0;) {
      next_comma_[i] = is_comma(*members_[i]) ? i : next_comma_[i + 1];
    }
  }

  void convert() {
    std::size_t begin = 0;
    while (begin < members_.size()) {
      std::size_t point = begin;
      while (point < members_.size() && !is_point(*members_[point])) ++point;
      if (point > begin) convert_until_point(begin, point);
      begin = point + 1;
    }
  }

 private:
  // Converts members [begin, end), which hold no point.
  void convert_until_point(std::size_t begin, std::size_t end) {
    while (end > begin && is_comma(*members_[end - 1])) --end;
    const std::size_t groups_from = first_of_groups(begin, end);
    while (begin < end) {
      if (is_comma(*members_[begin])) {
        ++begin;
        continue;
      }
      const std::size_t comma = std::min(next_comma_[begin], end);
      const bool grouped = comma < end && begin >= groups_from;
      const std::size_t stop = grouped ? end : comma;
      const bool leading_zero = end - begin > 1 && value_of(*members_[begin]) == 0;
      const std::vector<Iterator> digits = take_digits(begin, stop);
      if (leading_zero || (!grouped && score(begin, stop - 1) < 0)) {
        read_by_digit(digits);
      } else {
        read_as_number(digits);
      }
      begin = stop;
    }
  }

  // The first index from which on every fourth member from the right, and no other, is a comma.
  std::size_t first_of_groups(std::size_t begin, std::size_t end) const {
    std::size_t i = end;
    while (i > begin && is_comma(*members_[i - 1]) == ((end - i) % 4 == 3)) --i;
    return i;
  }

  // The digits of [begin, end); commas are removed from the text.
  std::vector<Iterator> take_digits(std::size_t begin, std::size_t end) {
    std::vector<Iterator> digits;
    for (std::size_t i = begin; i < end; ++i) {
      if (is_comma(*members_[i])) {
        words_.erase(members_[i]);
      } else {
        digits.push_back(members_[i]);
      }
    }
    return digits;
  }

  // How much the surroundings of members [first, last] speak for a number, negative for single digits.
  int score(std::size_t first, std::size_t last) const {
    return score_before(members_[first]) + score_after(members_[last]);
  }

  int score_before(Iterator first) const {
    if (first == words_.begin()) return 0;
    const auto p = std::prev(first);
    const Morpheme* pp = p == words_.begin() ? nullptr : &*std::prev(p);
    const bool number_before = pp != nullptr && pp->g1 == "数";
    int score = 0;
    if (p->g1 == "数接続") score += 2;
    if (is_counter(*p)) score += 1;
    if (is_point(*p) && number_before) score -= 5;
    if (is_dash(*p)) score -= 2;
    if (p->string == "（" && number_before) score -= 2;
    if (p->string == "）") score -= 2;
    if (p->string == "番号") score -= 2;
    if (pp != nullptr && pp->string == "番号") score -= 2;
    return score;
  }

  int score_after(Iterator last) const {
    const auto n = std::next(last);
    if (n == words_.end()) return 0;
    const bool number_after = std::next(n) != words_.end() && std::next(n)->g1 == "数";
    int score = 0;
    if (is_counter(*n)) score += 2;
    if (is_dash(*n)) score -= 2;
    if (n->string == "（") score -= 2;
    if (n->string == "）" && number_after) score -= 2;
    if (n->string == "番号") score -= 2;
    if (is_point(*n)) score += 4;
    return score;
  }

  static void read_by_digit(const std::vector<Iterator>& digits) {
    if (digits.size() < 2) return;
    for (std::size_t i = 0; i < digits.size(); ++i) {
      Morpheme& w = *digits[i];
      const int value = value_of(w);
      if (value == 0) w.pron = "ゼロ";
      if (value == 2) w.pron = "ニー";
      if (value == 5) w.pron = "ゴー";
      if (value == 0 || value == 2 || value == 5) w.mora_size = 2;
      w.rule = "*";
      w.chain_flag = i % 2 == 0 ? 0 : 1;
      if (i % 2 == 1) digits[i - 1]->acc = 3;
    }
  }

  void read_as_number(const std::vector<Iterator>& digits) {
    if (digits.size() < 2 || digits.size() > kMaxDigits) return;
    const Tables& tables = Tables::get();
    bool group_has_value = false;
    for (std::size_t i = 0; i < digits.size(); ++i) {
      const auto position = static_cast<int>(digits.size() - 1 - i);
      const int power = position % 4;
      const int group = position / 4;
      const int value = value_of(*digits[i]);
      if (value == 0) silence(*digits[i]);
      group_has_value = group_has_value || value != 0;
      if (power == 0) {
        if (group_has_value && group > 0) words_.insert(std::next(digits[i]), tables.big_unit(group));
        group_has_value = false;
      } else if (value == 1) {
        become(*digits[i], tables.unit(power));
      } else if (value != 0) {
        words_.insert(std::next(digits[i]), tables.unit(power));
      }
    }
  }

  static void silence(Morpheme& w) {
    w.pron.clear();
    w.acc = 0;
    w.mora_size = 0;
  }

  static void become(Morpheme& w, const Morpheme& row) {
    const int chain_flag = w.chain_flag;
    w = row;
    w.chain_flag = chain_flag;
  }

  Morphemes& words_;
  std::vector<Iterator> members_;
  std::vector<std::size_t> next_comma_;  // index of the first comma at or after each member
};

bool canonicalize(Morphemes& words) {
  bool any = false;
  for (Morpheme& w : words) {
    if (w.g1 != "数") continue;
    any = true;
    if (const Numeral* numeral = Tables::get().numeral(w.string)) {
      w.string = numeral->canonical;
      w.orig = numeral->canonical;
    }
  }
  return any;
}

bool is_member(const Morpheme& w) { return w.g1 == "数" && (is_point(w) || is_comma(w) || value_of(w) >= 0); }

}  // namespace

void set_digits(Morphemes& words) {
  if (!canonicalize(words)) return;
  for (auto it = words.begin(); it != words.end();) {
    std::vector<Iterator> members;
    while (it != words.end() && is_member(*it)) members.push_back(it++);
    if (members.empty()) {
      ++it;
    } else {
      Run(words, std::move(members)).convert();
    }
  }
  remove_silent(words);
  set_digit_readings(words);
}

}  // namespace hayakoe::text::njd
