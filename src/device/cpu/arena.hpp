// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "tensor/tensor.hpp"

namespace hayakoe::device {

/// Blocks of host memory that are handed out, taken back when the last handle goes, and handed out again: after the
/// first request of a length the next one allocates nothing. Blocks are 64-byte aligned (a cache line, an AVX-512
/// register).
class Arena : public std::enable_shared_from_this<Arena> {
 public:
  static std::shared_ptr<Arena> create() { return std::shared_ptr<Arena>(new Arena); }
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  /// A block of at least `bytes`, contents undefined.
  std::shared_ptr<tensor::Storage> take(size_t bytes);

  /// Gives free blocks back to the system until at most `keep` bytes of them remain.
  void trim(size_t keep);

  [[nodiscard]] int64_t bytes() const;
  /// Most bytes in use at once since reset_peak().
  [[nodiscard]] int64_t peak_bytes() const;
  void reset_peak();

 private:
  friend class ArenaStorage;
  Arena() = default;
  void put_back(std::byte* block, size_t bytes);

  mutable std::mutex mutex_;  // handles may go on another thread than the one that works
  std::multimap<size_t, std::byte*> free_;
  size_t held_ = 0;       // free and in use
  size_t held_free_ = 0;  // free only
  size_t peak_ = 0;       // of what was in use
};

}  // namespace hayakoe::device
