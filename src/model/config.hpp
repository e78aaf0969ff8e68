// SPDX-License-Identifier: Apache-2.0
// The configurations of a voice and of BERT, as their folders hold them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace hayakoe::model {

/// `config.json` of a Style-Bert-VITS2 JP-Extra voice: what inference reads, with the format's defaults.
struct VoiceConfig {
  std::string model_name;
  std::string version;                    ///< ends with "JP-Extra"
  int64_t sampling_rate = 44100;          ///< Hz
  int64_t hop_length = 512;               ///< samples a frame; the product of the upsample rates
  bool add_blank = true;                  ///< blanks between the phones
  std::map<std::string, int64_t> spk2id;  ///< speaker name → id
  std::map<std::string, int64_t> style2id;
  int64_t n_speakers = 1;
  int64_t num_styles = 1;

  int64_t inter_channels = 192;   // I
  int64_t hidden_channels = 192;  // C
  int64_t filter_channels = 768;  // F
  int64_t n_heads = 2;
  int64_t n_layers = 6;
  int64_t kernel_size = 3;
  int64_t gin_channels = 512;  // G
  std::string resblock = "1";
  std::vector<int64_t> resblock_kernel_sizes{3, 7, 11};
  std::vector<std::vector<int64_t>> resblock_dilation_sizes{{1, 3, 5}, {1, 3, 5}, {1, 3, 5}};
  std::vector<int64_t> upsample_rates{8, 8, 2, 2, 2};
  int64_t upsample_initial_channel = 512;  // U
  std::vector<int64_t> upsample_kernel_sizes{16, 16, 8, 2, 2};

  /// Reads the JSON text; `where` names it in errors. @throws Error for broken JSON, a wrong type, a value out of
  /// range, or a model that is not JP-Extra; the message names the key.
  static VoiceConfig parse(std::string_view json, const std::string& where);
};

/// `config.json` of a DeBERTa-v2 folder: the shape that is used here, with the flags checked.
struct BertConfig {
  int64_t hidden = 1024;
  int64_t layers = 24;
  int64_t heads = 16;
  int64_t intermediate = 4096;
  int64_t vocab = 22012;
  int64_t position_buckets = 256;  // S
  int64_t max_positions = 512;     // M
  int64_t conv_kernel = 3;         ///< 0: no convolution branch
  float layer_norm_eps = 1e-7F;

  static BertConfig parse(std::string_view json, const std::string& where);
};

/// The whole of a small text file. @throws Error naming the path (missing, a folder, over 64 MB).
std::string read_text_file(const std::filesystem::path& path);

}  // namespace hayakoe::model
