// SPDX-License-Identifier: Apache-2.0
#include "text/njd/double_array.hpp"

#include <algorithm>

namespace hayakoe::text::njd {
namespace {

constexpr std::size_t kLabels = 257;  // the end of a key and 256 bytes

class Builder {
 public:
  explicit Builder(const std::vector<std::pair<std::string_view, std::int32_t>>& keys) : keys_(keys) {
    grow(kLabels);
    used_[0] = true;
  }

  std::vector<DoubleArrayUnit> build() {
    units_[0].base = 1;
    // A stack of its own, because keys may be long.
    std::vector<Range> stack;
    if (!keys_.empty()) stack.push_back({0, keys_.size(), 0, 0});
    while (!stack.empty()) {
      const Range range = stack.back();
      stack.pop_back();
      place_children(range, stack);
    }
    units_.resize(highest_ + 1 + kLabels);
    return std::move(units_);
  }

 private:
  // The keys [begin, end) share their first `depth` bytes; `unit` is their node.
  struct Range {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::size_t depth = 0;
    std::size_t unit = 0;
  };
  struct Child {
    std::size_t label = 0;
    std::size_t begin = 0;
    std::size_t end = 0;
  };

  std::vector<Child> children_of(const Range& range) const {
    std::vector<Child> children;
    for (std::size_t i = range.begin; i < range.end; ++i) {
      const auto key = keys_[i].first;
      const std::size_t label = key.size() == range.depth ? 0 : static_cast<unsigned char>(key[range.depth]) + 1U;
      if (children.empty() || children.back().label != label) children.push_back({label, i, i});
      children.back().end = i + 1;
    }
    return children;
  }

  void place_children(const Range& range, std::vector<Range>& stack) {
    const auto children = children_of(range);
    const std::size_t base = find_base(children);
    base_used_[base] = true;
    units_[range.unit].base = static_cast<std::int32_t>(base);
    for (const Child& child : children) {
      const std::size_t unit = base + child.label;
      used_[unit] = true;
      highest_ = std::max(highest_, unit);
      units_[unit].check = static_cast<std::uint32_t>(base);
      if (child.label == 0) {
        units_[unit].base = -1 - keys_[child.begin].second;
      } else {
        stack.push_back({child.begin, child.end, range.depth + 1, unit});
      }
    }
  }

  // The lowest base whose children are all free, not counting the units that were given up.
  std::size_t find_base(const std::vector<Child>& children) {
    const std::size_t lowest = children.front().label;
    std::size_t tried = 0;
    for (std::size_t unit = std::max(search_from_, lowest + 1);; ++unit) {
      const std::size_t base = unit - lowest;
      grow(base + kLabels);
      const auto is_free = [&](const Child& child) { return !used_[base + child.label]; };
      if (!base_used_[base] && std::all_of(children.begin(), children.end(), is_free)) return base;
      // Units that hardly anything fits in are given up, so that building takes linear time.
      if (++tried == kGiveUp) search_from_ = std::max(search_from_, unit - kGiveUp / 2);
    }
  }

  void grow(std::size_t size) {
    if (size <= units_.size()) return;
    size = std::max(size, units_.size() * 2);
    units_.resize(size);
    used_.resize(size, false);
    base_used_.resize(size, false);
  }

  static constexpr std::size_t kGiveUp = 64;

  const std::vector<std::pair<std::string_view, std::int32_t>>& keys_;
  std::vector<DoubleArrayUnit> units_;
  std::vector<bool> used_;
  std::vector<bool> base_used_;
  std::size_t search_from_ = 1;
  std::size_t highest_ = 0;
};

}  // namespace

std::vector<DoubleArrayUnit> build_double_array(const std::vector<std::pair<std::string_view, std::int32_t>>& keys) {
  return Builder(keys).build();
}

}  // namespace hayakoe::text::njd
