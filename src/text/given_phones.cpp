// SPDX-License-Identifier: Apache-2.0
#include "text/given_phones.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <hayakoe/error.hpp>
#include <numeric>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "text/symbols.hpp"

namespace hayakoe::text {
namespace {

constexpr int kFewest = 1;  // phones per character
constexpr int kMost = 6;

// Above this many cells (64 MB of bits) the lists are not compared but replaced as a whole between their equal ends.
constexpr std::size_t kMostCells = std::size_t{1} << 29;

// A stretch of generated phones that given ones stand for; both may be empty, not at once.
struct Replacement {
  std::size_t at = 0;  // index of its first generated phone
  std::size_t generated = 0;
  std::size_t given = 0;
};

// Phones as numbers, so that comparing is cheap.
using Ids = std::vector<int>;

struct Pair {
  std::size_t generated;
  std::size_t given;
};

// One bit per cell: the common subsequence is at least as long without the last generated phone as without the last
// given one. That and the phones themselves are all that walking back needs.
class Directions {
 public:
  Directions(const Ids& generated, const Ids& given) : columns_(given.size()), bits_(generated.size() * columns_) {
    std::vector<int> above(columns_ + 1, 0);
    std::vector<int> row(columns_ + 1, 0);
    for (std::size_t i = 0; i < generated.size(); ++i) {
      for (std::size_t j = 0; j < columns_; ++j) {
        bits_[i * columns_ + j] = above[j + 1] >= row[j];
        row[j + 1] = generated[i] == given[j] ? above[j] + 1 : std::max(above[j + 1], row[j]);
      }
      above.swap(row);
    }
  }

  bool drop_generated(std::size_t i, std::size_t j) const { return bits_[i * columns_ + j]; }

 private:
  std::size_t columns_;
  std::vector<bool> bits_;
};

// A longest common subsequence, from the back to the front.
std::vector<Pair> common_pairs(const Ids& generated, const Ids& given) {
  std::vector<Pair> pairs;
  std::size_t i = generated.size();
  std::size_t j = given.size();
  for (; i > 0 && j > 0 && generated[i - 1] == given[j - 1]; --i, --j) pairs.push_back({i - 1, j - 1});
  if (j > 0 && i > kMostCells / j) {
    std::size_t same = 0;
    while (same < std::min(i, j) && generated[same] == given[same]) ++same;
    for (; same > 0; --same) pairs.push_back({same - 1, same - 1});
    return pairs;
  }
  const Directions directions({generated.begin(), generated.begin() + static_cast<std::ptrdiff_t>(i)},
                              {given.begin(), given.begin() + static_cast<std::ptrdiff_t>(j)});
  while (i > 0 && j > 0) {
    if (generated[i - 1] == given[j - 1]) {
      pairs.push_back({--i, --j});
    } else if (directions.drop_generated(i - 1, j - 1)) {
      --i;
    } else {
      --j;
    }
  }
  return pairs;
}

std::vector<Replacement> replacements(const Ids& generated, const Ids& given) {
  std::vector<Replacement> out;
  Pair next{0, 0};
  const auto add_until = [&](Pair end) {
    const Replacement r{next.generated, end.generated - next.generated, end.given - next.given};
    if (r.generated > 0 || r.given > 0) out.push_back(r);
    next = {end.generated + 1, end.given + 1};
  };
  const auto pairs = common_pairs(generated, given);
  std::for_each(pairs.rbegin(), pairs.rend(), add_until);
  add_until({generated.size(), given.size()});
  return out;
}

// Adds each replacement's change to the character that owns its first phone; the last one if nothing follows.
void apply_changes(std::vector<int>& counts, const std::vector<Replacement>& changes) {
  std::size_t character = 0;
  std::size_t end = 0;  // phones up to and with `character`
  const std::vector<int> before = counts;
  if (counts.empty()) return;
  end = static_cast<std::size_t>(before[0]);
  for (const Replacement& r : changes) {
    while (r.at >= end && character + 1 < counts.size()) end += static_cast<std::size_t>(before[++character]);
    counts[character] += static_cast<int>(r.given) - static_cast<int>(r.generated);
  }
}

// Moves what a character lacks to `kFewest`, then what it has above `kMost`, from or to the characters after it.
// A cursor past the characters that have nothing left to give or take keeps this linear.
void spread(std::vector<int>& counts) {
  const std::size_t n = counts.size();
  for (std::size_t i = 0, j = 0; i < n; ++i) {
    int lacking = std::max(0, kFewest - counts[i]);
    counts[i] += lacking;
    for (j = std::max(j, i + 1); lacking > 0 && j < n; ++j) {
      const int moved = std::clamp(counts[j] - kFewest, 0, lacking);
      counts[j] -= moved;
      lacking -= moved;
      if (lacking == 0) break;
    }
  }
  for (std::size_t i = 0, j = 0; i < n; ++i) {
    int surplus = std::max(0, counts[i] - kMost);
    counts[i] -= surplus;
    for (j = std::max(j, i + 1); surplus > 0 && j < n; ++j) {
      const int moved = std::clamp(kMost - counts[j], 0, surplus);
      counts[j] += moved;
      surplus -= moved;
      if (surplus == 0) break;
    }
  }
}

// Lets the last characters take `rest` more phones, or give them up: first down to one each, then to none.
void give_rest(std::vector<int>& counts, int rest) {
  if (rest > 0) counts.back() += rest;
  for (const int floor : {kFewest, 0}) {
    for (auto c = counts.rbegin(); c != counts.rend() && rest < 0; ++c) {
      const int taken = std::clamp(*c - floor, 0, -rest);
      *c -= taken;
      rest += taken;
    }
  }
}

// word2ph without its ends for phones without theirs; `fits` tells whether it sums to the number of given phones.
std::vector<int> adjusted(std::vector<int> counts, const Ids& generated, const Ids& given, bool& fits) {
  const auto changes = replacements(generated, given);
  apply_changes(counts, changes);
  spread(counts);
  const int rest = static_cast<int>(given.size()) - std::accumulate(counts.begin(), counts.end(), 0);
  const bool at_end = !changes.empty() && changes.back().at + changes.back().generated == generated.size() &&
                      (changes.back().generated == 0) != (changes.back().given == 0);
  fits = rest == 0 || at_end;
  if (at_end && !counts.empty()) give_rest(counts, rest);
  return counts;
}

// Phones without the two ends as numbers that both lists share.
std::pair<Ids, Ids> inner_ids(const std::vector<std::string>& generated, const std::vector<std::string>& given) {
  std::unordered_map<std::string_view, int> numbers;
  const auto ids_of = [&](const std::vector<std::string>& phones) {
    Ids ids;
    for (std::size_t i = 1; i + 1 < phones.size(); ++i) {
      ids.push_back(numbers.emplace(phones[i], static_cast<int>(numbers.size())).first->second);
    }
    return ids;
  };
  return {ids_of(generated), ids_of(given)};
}

void check_phones(const std::vector<std::string>& phones) {
  for (std::size_t i = 0; i < phones.size(); ++i) {
    if (symbol_id(phones[i]) >= 0 || phones[i] == "kw" || phones[i] == "gw") continue;
    throw Error(fmt::format("Given phone {} is \"{}\", which is not a phone of Japanese voices.", i, phones[i]));
  }
}

void check_tones(const std::vector<int>& tones) {
  for (std::size_t i = 0; i < tones.size(); ++i) {
    if (tones[i] == 0 || tones[i] == 1) continue;
    throw Error(fmt::format("Given tone {} is {}; tones are 0 (low) and 1 (high).", i, tones[i]));
  }
}

std::vector<int> fitted_word2ph(const Analysis& a, const std::vector<std::string>& phones) {
  const auto expected = static_cast<std::size_t>(std::accumulate(a.word2ph.begin(), a.word2ph.end(), 0));
  if (phones.size() == expected) return a.word2ph;
  const auto refuse = [&] {
    throw Error(
        fmt::format("The {} given phones cannot be spread over the {} characters of the text, which has {} "
                    "phones of its own (`_` at both ends included).",
                    phones.size(), a.word2ph.size() - std::min<std::size_t>(2, a.word2ph.size()), expected));
  };
  if (phones.size() < 2 || a.word2ph.size() < 2 || a.phones.size() != expected) refuse();
  bool fits = false;
  const auto [generated, given] = inner_ids(a.phones, phones);
  auto word2ph = adjusted({a.word2ph.begin() + 1, a.word2ph.end() - 1}, generated, given, fits);
  if (!fits) refuse();
  word2ph.insert(word2ph.begin(), 1);
  word2ph.push_back(1);
  // A text without characters (only blanks) has nobody else to own the phones.
  if (word2ph.size() == 2) word2ph.front() += static_cast<int>(phones.size()) - 2;
  return word2ph;
}

}  // namespace

void apply_given(Analysis& a, const std::vector<std::string>* phones, const std::vector<int>* tones) {
  if (tones == nullptr) return;
  check_tones(*tones);
  if (phones == nullptr) {
    if (tones->size() != a.phones.size()) {
      throw Error(
          fmt::format("There are {} given tones for {} phones; every phone, `_` at both ends included, needs "
                      "one tone.",
                      tones->size(), a.phones.size()));
    }
    a.tones = *tones;
    return;
  }
  if (phones->size() != tones->size()) {
    throw Error(fmt::format("There are {} given phones but {} given tones; every phone needs one tone.", phones->size(),
                            tones->size()));
  }
  check_phones(*phones);
  auto word2ph = fitted_word2ph(a, *phones);
  a.word2ph = std::move(word2ph);
  a.phones = *phones;
  a.tones = *tones;
}

}  // namespace hayakoe::text
