// SPDX-License-Identifier: Apache-2.0
#include "tensor/mapped_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file_helpers.hpp"

namespace hayakoe::tensor {
namespace {

using test::expect_error;

void expect_refused(const std::filesystem::path& path, std::string_view reason) {
  expect_error([&] { (void)MappedFile::open(path); }, {path.string(), reason});
}

TEST(MappedFile, HoldsTheBytes) {
  const test::TempFolder folder;
  std::string text = "hello";
  text.resize(10'000, 'z');
  const auto path = test::write_file(folder.path() / "a", text);
  const auto file = MappedFile::open(path);
  const auto bytes = file->bytes();
  EXPECT_EQ(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()), text);
}

TEST(MappedFile, SurvivesRemovalAndReplacement) {
  const test::TempFolder folder;
  const auto path = test::write_file(folder.path() / "a", "old");
  const auto file = MappedFile::open(path);
  std::filesystem::rename(test::write_file(folder.path() / "b", "new!"), path);
  EXPECT_EQ(file->bytes().size(), 3U);
  EXPECT_EQ(file->bytes()[0], std::byte{'o'});
}

TEST(MappedFile, FollowsLinks) {
  const test::TempFolder folder;
  test::write_file(folder.path() / "a", "abc");
  std::filesystem::create_symlink("a", folder.path() / "link");
  EXPECT_EQ(MappedFile::open(folder.path() / "link")->bytes().size(), 3U);
}

TEST(MappedFile, RefusesWhatIsNoFile) {
  const test::TempFolder folder;
  expect_refused(folder.path() / "absent", "No such file");
  expect_refused(folder.path(), "folder");
  expect_refused(test::write_file(folder.path() / "empty", ""), "empty");
  expect_refused("/dev/zero", "device");
  expect_refused("/dev/null", "device");
  const auto fifo = folder.path() / "fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  expect_refused(fifo, "pipe");  // and does not wait for a writer
  std::filesystem::create_symlink(fifo, folder.path() / "link");
  expect_refused(folder.path() / "link", "pipe");
  std::filesystem::create_symlink("loop", folder.path() / "loop");
  expect_refused(folder.path() / "loop", "symbolic links");
  expect_refused("", "");
}

TEST(MappedFile, NamesTheReasonWhenItMayNotRead) {
  if (::geteuid() == 0) {
    GTEST_SKIP() << "the superuser may read everything";
  }
  const test::TempFolder folder;
  const auto path = test::write_file(folder.path() / "secret", "abc");
  std::filesystem::permissions(path, std::filesystem::perms::none);
  expect_refused(path, "Permission denied");
}

}  // namespace
}  // namespace hayakoe::tensor
