// SPDX-License-Identifier: Apache-2.0
#include "onnx/features.hpp"

#include <fmt/format.h>

#include <hayakoe/error.hpp>
#include <map>
#include <mutex>

#include "onnx/graph.hpp"

namespace hayakoe::onnx {
namespace fs = std::filesystem;
namespace {

using graph::Graph;
using graph::integer;
using graph::integers;
using graph::kFloat;
using graph::kInt64;

// Features have rank 2 or 3; of both, Flatten makes a matrix of their rows.
std::string expansion() {
  return Graph("expand")
      .input("features", kFloat, {})
      .input("row", kInt64, {"one", "phones"})
      .node("Flatten", {"features"}, "matrix", {integer("axis", -1)})
      .node("Gather", {"matrix", "row"}, "of_phones", {integer("axis", 0)})
      .node("Transpose", {"of_phones"}, "expanded", {integers("perm", {0, 2, 1})})
      .output("expanded", kFloat, {"one", "width", "phones"})
      .model();
}

std::string joining() {
  return Graph("join")
      .input("a", kFloat, {})
      .input("b", kFloat, {})
      .node("Flatten", {"a"}, "matrix_a", {integer("axis", -1)})
      .node("Flatten", {"b"}, "matrix_b", {integer("axis", -1)})
      .node("Concat", {"matrix_a", "matrix_b"}, "joined", {integer("axis", 0)})
      .output("joined", kFloat, {"rows", "width"})
      .model();
}

// The session of a graph for a GPU or the CPU, opened when it is first wanted. They are small, and every voice needs
// the same: they stay for the rest of the process, as ONNX Runtime does.
template <std::string (*kGraph)()>
const Session& session_on(std::optional<int> cuda) {
  static auto& mutex = *new std::mutex;
  static auto& sessions = *new std::map<std::optional<int>, Session>;
  const std::lock_guard lock(mutex);
  const auto found = sessions.find(cuda);
  if (found != sessions.end()) return found->second;
  return sessions.emplace(cuda, Session("the graph for BERT's features", kGraph(), {.cuda = cuda})).first->second;
}

int64_t rows_of(const DeviceTensor& values) {
  int64_t rows = 1;
  for (size_t i = 0; i + 1 < values.shape().size(); ++i) rows *= values.shape()[i];
  return rows;
}

std::string find_why_not(int device) {
  const fs::path file = onnxruntime_file();
  const std::string runtime = fmt::format("ONNX Runtime {} ({})", onnxruntime_version(), file.string());
  constexpr const char* kWhatToDo = "set HAYAKOE_ONNXRUNTIME to the library of a build with CUDA";
  if (!onnxruntime_has_cuda()) return fmt::format("{} is a build without CUDA; {}", runtime, kWhatToDo);
  try {
    (void)session_on<expansion>(device);
    return {};
  } catch (const Error& e) {
    // Often left out, for its size.
    constexpr const char* kProvider = "libonnxruntime_providers_cuda.so";
    std::error_code ec;
    if (!fs::exists(file.parent_path() / kProvider, ec))
      return fmt::format("{} has no {} beside it; {}", runtime, kProvider, kWhatToDo);
    return fmt::format(
        "{} cannot use CUDA, for which it needs NVIDIA's driver, and CUDA and cuDNN of the versions that it "
        "was built for ({})",
        runtime, e.what());
  }
}

}  // namespace

Features last_of(const Features& features, int64_t tokens) {
  return {features.values, {features.row.end() - tokens, features.row.end()}};
}

Features join(const Features& a, const Features& b) {
  const std::vector<Input> inputs{{"a", {}, a.values}, {"b", {}, b.values}};
  Features joined{session_on<joining>(a.values.cuda()).run_on_device(inputs, "joined"), a.row};
  const int64_t first = rows_of(a.values);
  for (const int64_t row : b.row) joined.row.push_back(first + row);
  return joined;
}

DeviceTensor expand(const Features& features, std::span<const int32_t> token_of_phone) {
  std::vector<int64_t> rows;
  rows.reserve(token_of_phone.size());
  for (const int32_t token : token_of_phone) rows.push_back(features.row.at(static_cast<size_t>(token)));
  const std::vector<Input> inputs{{"features", {}, features.values},
                                  {"row", {1, static_cast<int64_t>(rows.size())}, std::span<const int64_t>(rows)}};
  return session_on<expansion>(features.values.cuda()).run_on_device(inputs, "expanded");
}

std::string why_not_on_cuda(int device) {
  static std::mutex mutex;
  static std::map<int, std::string> known;
  const std::lock_guard lock(mutex);
  const auto found = known.find(device);
  if (found != known.end()) return found->second;
  return known.emplace(device, find_why_not(device)).first->second;
}

}  // namespace hayakoe::onnx
