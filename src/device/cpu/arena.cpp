// SPDX-License-Identifier: Apache-2.0
#include "device/cpu/arena.hpp"

#include <algorithm>
#include <bit>
#include <new>

namespace hayakoe::device {
namespace {

constexpr std::align_val_t kAlignment{64};

// Sizes are rounded up to an eighth of their power of two, so that texts of nearly the same length share blocks.
size_t rounded(size_t bytes) {
  const size_t n = std::max<size_t>(bytes, 256);
  const size_t step = std::max<size_t>(std::bit_floor(n) / 8, 1);
  return (n + step - 1) / step * step;
}

}  // namespace

class ArenaStorage final : public tensor::Storage {
 public:
  ArenaStorage(std::shared_ptr<Arena> arena, std::byte* address, size_t bytes)
      : Storage(address, bytes), arena_(std::move(arena)) {}
  ~ArenaStorage() override { arena_->put_back(address_, bytes_); }

 private:
  std::shared_ptr<Arena> arena_;
};

Arena::~Arena() { trim(0); }

std::shared_ptr<tensor::Storage> Arena::take(size_t bytes) {
  const size_t size = rounded(bytes);
  std::byte* block = nullptr;
  {
    const std::lock_guard lock(mutex_);
    // A block up to twice as large will do: better than growing.
    if (const auto it = free_.lower_bound(size); it != free_.end() && it->first <= 2 * size) {
      block = it->second;
      const size_t found = it->first;
      free_.erase(it);
      held_free_ -= found;
      peak_ = std::max(peak_, held_ - held_free_);
      return std::make_shared<ArenaStorage>(shared_from_this(), block, found);
    }
    held_ += size;
    peak_ = std::max(peak_, held_ - held_free_);
  }
  block = static_cast<std::byte*>(::operator new(size, kAlignment));
  return std::make_shared<ArenaStorage>(shared_from_this(), block, size);
}

void Arena::put_back(std::byte* block, size_t bytes) {
  const std::lock_guard lock(mutex_);
  free_.emplace(bytes, block);
  held_free_ += bytes;
}

void Arena::trim(size_t keep) {
  const std::lock_guard lock(mutex_);
  while (held_free_ > keep && !free_.empty()) {
    const auto largest = std::prev(free_.end());
    ::operator delete(largest->second, kAlignment);
    held_free_ -= largest->first;
    held_ -= largest->first;
    free_.erase(largest);
  }
}

int64_t Arena::bytes() const {
  const std::lock_guard lock(mutex_);
  return static_cast<int64_t>(held_);
}

int64_t Arena::peak_bytes() const {
  const std::lock_guard lock(mutex_);
  return static_cast<int64_t>(peak_);
}

void Arena::reset_peak() {
  const std::lock_guard lock(mutex_);
  peak_ = held_ - held_free_;
}

}  // namespace hayakoe::device
