// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace hayakoe::tensor {

/// A block of memory that belongs to a device. Only code of that device may look behind `address()`.
class Storage {
 public:
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;
  virtual ~Storage() = default;
  [[nodiscard]] std::byte* address() const { return address_; }
  [[nodiscard]] size_t bytes() const { return bytes_; }

 protected:
  Storage(std::byte* address, size_t bytes) : address_(address), bytes_(bytes) {}
  std::byte* address_;
  size_t bytes_;
};

/// A matrix `[rows, cols]` of 4-byte elements (float or int32) on a device, row-major ("channels last"), or a view of
/// some rows and columns of one. Copying a Tensor copies the handle. The host cannot read it: a device::Stream uploads
/// and downloads, and counts what it copies.
class Tensor {
 public:
  Tensor() = default;
  Tensor(std::shared_ptr<Storage> storage, int64_t rows, int64_t cols)
      : storage_(std::move(storage)), rows_(rows), cols_(cols), stride_(cols) {}

  [[nodiscard]] bool empty() const { return storage_ == nullptr; }
  [[nodiscard]] int64_t rows() const { return rows_; }
  [[nodiscard]] int64_t cols() const { return cols_; }
  /// Elements from one row to the next; more than cols() in a view of some columns.
  [[nodiscard]] int64_t stride() const { return stride_; }
  [[nodiscard]] bool contiguous() const { return stride_ == cols_ || rows_ <= 1; }

  /// A view of `count` rows from row `begin`.
  [[nodiscard]] Tensor slice_rows(int64_t begin, int64_t count) const {
    assert(begin >= 0 && count >= 0 && begin + count <= rows_);
    Tensor t = *this;
    t.offset_ += begin * stride_;
    t.rows_ = count;
    return t;
  }

  /// A view of `count` columns from column `begin`.
  [[nodiscard]] Tensor slice_cols(int64_t begin, int64_t count) const {
    assert(begin >= 0 && count >= 0 && begin + count <= cols_);
    Tensor t = *this;
    t.offset_ += begin;
    t.cols_ = count;
    return t;
  }

  /// Device address of element (0, 0); for device code only.
  template <typename T>
  [[nodiscard]] T* data() const {
    static_assert(sizeof(T) == 4);
    return reinterpret_cast<T*>(storage_->address()) + offset_;
  }

 private:
  std::shared_ptr<Storage> storage_;
  int64_t rows_ = 0;
  int64_t cols_ = 0;
  int64_t stride_ = 0;
  int64_t offset_ = 0;  // elements from the start of the storage
};

}  // namespace hayakoe::tensor
