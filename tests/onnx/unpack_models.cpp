// SPDX-License-Identifier: Apache-2.0
// unpack_models PARTS DATA OUT MODEL…: puts OUT/MODEL together from PARTS/MODEL.list and .rest (pack_models.mjs) and
// the weights in DATA. Each line of a list is one piece:
//   source FILE               where the following pieces come from
//   keep BYTES                the next bytes of .rest
//   copy OFFSET ROWS COLS     a matrix of 4-byte values of the source
//   turn OFFSET ROWS COLS     the same, transposed
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <stdexcept>
#include <string>

namespace {
namespace fs = std::filesystem;

std::string read(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + file.string());
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string transposed(const std::string& matrix, size_t rows, size_t cols) {
  std::string turned(matrix.size(), '\0');
  for (size_t r = 0; r < rows; ++r) {
    for (size_t c = 0; c < cols; ++c) matrix.copy(&turned[4 * (c * rows + r)], 4, 4 * (r * cols + c));
  }
  return turned;
}

std::string unpack(const fs::path& parts, const fs::path& data, const std::string& model) {
  std::ifstream list(parts / (model + ".list"));
  const std::string rest = read(parts / (model + ".rest"));
  std::string source;
  std::string out;
  size_t at = 0;
  for (std::string word; list >> word;) {
    if (word == "source") {
      list >> word;
      source = read(data / word);
    } else if (word == "keep") {
      size_t bytes = 0;
      list >> bytes;
      out += rest.substr(at, bytes);
      at += bytes;
    } else {
      size_t offset = 0, rows = 0, cols = 0;
      list >> offset >> rows >> cols;
      const std::string matrix = source.substr(offset, 4 * rows * cols);
      out += word == "turn" ? transposed(matrix, rows, cols) : matrix;
    }
  }
  return out;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 5) throw std::runtime_error("usage: unpack_models PARTS DATA OUT MODEL…");
  for (int i = 4; i < argc; ++i) {
    const fs::path file = fs::path(argv[3]) / argv[i];
    fs::create_directories(file.parent_path());
    const std::string bytes = unpack(argv[1], argv[2], argv[i]);
    std::ofstream(file, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }
  return 0;
} catch (const std::exception& e) {
  std::cerr << "unpack_models: " << e.what() << '\n';
  return 1;
}
