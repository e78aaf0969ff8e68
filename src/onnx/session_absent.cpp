// SPDX-License-Identifier: Apache-2.0
// session.hpp for a build without ONNX Runtime's headers: nothing can be opened, and the error says why.
#include <hayakoe/error.hpp>

#include "onnx/session.hpp"

namespace hayakoe::onnx {
namespace {

[[noreturn]] void fail(const std::string& what) {
  throw Error(what +
              ": needs ONNX Runtime, which this hayakoe was built without; build it again after ./run setup "
              "--onnxruntime, with -DHAYAKOE_ONNXRUNTIME=ON");
}

}  // namespace

struct DeviceTensor::State {
  std::vector<int64_t> shape;
};

struct Session::State {
  std::filesystem::path path;
  std::vector<ValueInfo> values;
  std::map<std::string, std::string> metadata;
};

bool built_with_onnxruntime() { return false; }
std::string onnxruntime_version() { fail("ONNX models"); }
std::filesystem::path onnxruntime_file() { fail("ONNX models"); }
bool onnxruntime_has_cuda() { fail("ONNX models"); }

DeviceTensor::DeviceTensor(std::vector<float>, std::vector<int64_t>) { fail("ONNX models"); }
const std::vector<int64_t>& DeviceTensor::shape() const { return state_->shape; }
std::optional<int> DeviceTensor::cuda() const { return std::nullopt; }

Session::Session(const std::filesystem::path& file, const SessionOptions&) { fail(file.string()); }
Session::Session(const std::string& name, std::string_view, const SessionOptions&) { fail(name); }
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;
Session::~Session() = default;

// No Session, and no DeviceTensor but empty ones, exists on which these could be called.
const std::filesystem::path& Session::path() const { return state_->path; }
const std::vector<ValueInfo>& Session::inputs() const { return state_->values; }
const std::vector<ValueInfo>& Session::outputs() const { return state_->values; }
const std::map<std::string, std::string>& Session::metadata() const { return state_->metadata; }
std::vector<Output> Session::run(std::span<const Input>, std::span<const std::string>) const { fail("ONNX models"); }
DeviceTensor Session::run_on_device(std::span<const Input>, const std::string&) const { fail("ONNX models"); }

}  // namespace hayakoe::onnx
