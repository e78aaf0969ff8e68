// SPDX-License-Identifier: Apache-2.0
#include "onnx/session.hpp"

#include <gtest/gtest.h>

#include "models.hpp"
#include "support/files.hpp"

namespace hayakoe {
namespace {

using onnx::ElementType;
using onnx::Session;
using test::expect_error;
using test::models;

class SessionTest : public test::WithOnnxRuntime {};

TEST_F(SessionTest, DescribesInputsAndOutputs) {
  const Session session(models("voice-tiny.aivmx"), {1, false});
  ASSERT_EQ(session.inputs().size(), 11U);
  const onnx::ValueInfo& phones = session.inputs()[0];
  EXPECT_EQ(phones.name, "x_tst");
  EXPECT_EQ(phones.type, ElementType::kInt64);
  EXPECT_EQ(phones.shape, (std::vector<int64_t>{-1, -1}));
  const onnx::ValueInfo& bert = session.inputs()[5];
  EXPECT_EQ(bert.name, "bert");
  EXPECT_EQ(bert.type, ElementType::kFloat32);
  EXPECT_EQ(bert.shape, (std::vector<int64_t>{-1, 64, -1}));
  EXPECT_TRUE(session.inputs()[7].shape.empty()) << "a scalar";
  ASSERT_EQ(session.outputs().size(), 1U);
  EXPECT_EQ(session.outputs()[0].name, "output");
  EXPECT_EQ(session.outputs()[0].shape.size(), 3U);
}

TEST_F(SessionTest, ReadsTheMetadata) {
  const Session voice(models("voice-tiny.aivmx"), {1, false});
  EXPECT_EQ(voice.metadata().size(), 3U);
  EXPECT_NE(voice.metadata().at("aivm_manifest").find("\"name\": \"voice-tiny\""), std::string::npos);
  EXPECT_TRUE(Session(models("bert/bert.onnx"), {1, false}).metadata().empty());
}

TEST_F(SessionTest, NamesTheFileThatCannotBeOpened) {
  const test::TempFolder folder;
  expect_error([&] { (void)Session(folder.path() / "none.onnx"); }, {"none.onnx", "no such file"});
  expect_error([&] { (void)Session(folder.path()); }, {folder.path().string(), "is not a file"});
  const auto empty = test::write_file(folder.path() / "empty.onnx", "");
  expect_error([&] { (void)Session(empty); }, {"empty.onnx", "ONNX Runtime cannot open it"});
  const auto broken = test::write_file(folder.path() / "broken.onnx", "this is not a model");
  expect_error([&] { (void)Session(broken); }, {"broken.onnx", "ONNX Runtime cannot open it"});
}

TEST_F(SessionTest, RefusesATruncatedModel) {
  const test::TempFolder folder;
  const auto whole = models("bert/bert.onnx");
  const auto file = folder.path() / "short.onnx";
  for (const auto percent : {1U, 50U, 99U}) {
    std::filesystem::copy_file(whole, file, std::filesystem::copy_options::overwrite_existing);
    std::filesystem::resize_file(file, std::filesystem::file_size(whole) * percent / 100);
    expect_error([&] { (void)Session(file); }, {"short.onnx", "ONNX Runtime cannot open it"});
  }
}

TEST_F(SessionTest, NamesTheFileWhoseInputsAreWrong) {
  const Session session(models("bert/bert.onnx"));
  const std::vector<int64_t> ids{1, 2};
  const std::vector<std::string> outputs{"hidden"};
  const auto run = [&](const std::vector<onnx::Input>& inputs) { (void)session.run(inputs, outputs); };
  expect_error([&] { run({{"input_ids", {1, 2}, std::span(ids)}}); }, {"bert.onnx", "attention_mask"});
  expect_error([&] { run({{"input_ids", {1, 3}, std::span(ids)}}); }, {"bert.onnx", "'input_ids' got 2 values"});
  expect_error([&] { run({{"nonsense", {1, 2}, std::span(ids)}}); }, {"bert.onnx", "nonsense"});
}

}  // namespace
}  // namespace hayakoe
