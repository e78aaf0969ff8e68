// SPDX-License-Identifier: Apache-2.0
// The counts against sums that are made by hand from the formulas of the networks, at sizes where that is possible, and
// against the known cost of the full-size ones.
#include "model/flops.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace hayakoe::model {
namespace {

using tensor::Segments;

Segments segments(const std::vector<int64_t>& lengths) { return Segments::of_lengths(lengths); }

TEST(BertFlops, OneLayerByHand) {
  BertConfig c;
  c.hidden = 4;
  c.intermediate = 10;
  c.layers = 3;  // the last two are not used
  c.conv_kernel = 0;
  // A row: query, key, value, output 4·(4·4), up and down 2·(4·10) multiplications: 144.
  // A pair: Q·K, Q·PK, K·PQ, p·V over 4 channels: 16 multiplications; 2² + 3² = 13 pairs.
  EXPECT_EQ(bert_flops(c, segments({2, 3})), 2 * (5 * 144 + 13 * 16));
  // Rows of one sentence see one another.
  EXPECT_EQ(bert_flops(c, segments({5})), 2 * (5 * 144 + 25 * 16));
  c.layers = 5;
  EXPECT_EQ(bert_flops(c, segments({2, 3})), 3 * 2 * (5 * 144 + 13 * 16));
  // The convolution beside the first layer: 3 taps of 4·4.
  c.conv_kernel = 3;
  EXPECT_EQ(bert_flops(c, segments({2, 3})), 3 * 2 * (5 * 144 + 13 * 16) + 2 * (5 * 48));
  EXPECT_EQ(bert_flops(c, segments({})), 0);
}

TEST(BertFlops, LargeModelTakesItsKnownCost) {
  // 22 layers of 12·1024² weights and the convolution of 3·1024²: about 0.56 GFLOP a token, and attention.
  const BertConfig large;
  const auto tokens = static_cast<double>(bert_flops(large, segments({30})));
  EXPECT_NEAR(tokens / 30, 0.56e9, 0.01e9);
}

VoiceConfig small_voice() {
  VoiceConfig c;
  c.inter_channels = 6;
  c.hidden_channels = 4;
  c.filter_channels = 10;
  c.n_layers = 3;
  c.kernel_size = 3;
  return c;
}

TEST(TextEncoderFlops, ByHand) {
  const VoiceConfig c = small_voice();
  // A row and layer: query, key, value, output 4·(4·4); feed-forward 2·(3·4·10): 304 multiplications.
  // A pair and layer: q·k and p·v over 4 channels: 8. Rows at most 4 apart, of 2 rows all 4 pairs, of 6 rows
  // 6 + 2·(5 + 4 + 3 + 2) = 34 of 36: the same again for the relative keys and values.
  const int64_t layer = 8 * 304 + (4 + 36) * 8 + (4 + 34) * 8;
  // Once: BERT's 7 channels of 5 rows to 4, and 4 channels of each row to mean and deviation of 6.
  EXPECT_EQ(text_encoder_flops(c, segments({2, 6}), 5, 7), 2 * (3 * layer + 5 * 7 * 4 + 8 * 4 * 12));
}

TEST(DurationFlops, ByHand) {
  const VoiceConfig c = small_voice();
  // 3 taps 4 → 256, 3 taps 256 → 256, 256 → 1.
  const int64_t deterministic = 2 * (3 * 4 * 256 + 3 * 256 * 256 + 256);
  // Depth-separable convolutions: three times 3 taps a channel and 4·4, 84 multiplications.
  // pre 4·4, proj 4·4, those; then three flows of 1·4, those, 4·29.
  const int64_t stochastic = 2 * (16 + 16 + 84 + 3 * (4 + 84 + 116));
  EXPECT_EQ(duration_flops(c, 5, {.sdp_ratio = 0.0F}), 5 * deterministic);
  EXPECT_EQ(duration_flops(c, 5, {.sdp_ratio = 1.0F}), 5 * stochastic);
  EXPECT_EQ(duration_flops(c, 5, {.sdp_ratio = 0.5F}), 5 * (deterministic + stochastic));
}

TEST(FlowFlops, ByHand) {
  VoiceConfig c = small_voice();
  c.n_layers = 4;     // of the text encoder; the flow has 6 in each of 4 couplings,
  c.kernel_size = 3;  // and 5 taps
  const int64_t layer = 8 * (4 * 16 + 2 * 5 * 4 * 10) + (4 + 36) * 8 + (4 + 34) * 8;
  // Half of the 6 channels to 4 and back.
  EXPECT_EQ(flow_flops(c, segments({2, 6})), 4 * 2 * (6 * layer + 8 * 3 * 4 + 8 * 4 * 3));
}

TEST(DecoderFlops, ByHand) {
  VoiceConfig c = small_voice();
  c.upsample_initial_channel = 8;
  c.upsample_rates = {3, 2};
  c.upsample_kernel_sizes = {5, 4};
  c.resblock_kernel_sizes = {3, 5};
  // Kind "1", 2 frames: 7 taps 6 → 8; each row times 5 taps 8 → 4; 6 rows of 3·2 convolutions with 3 and with 5 taps,
  // 4 → 4; each of these rows times 4 taps 4 → 2; 12 rows of the same convolutions 2 → 2; 7 taps 2 → 1.
  EXPECT_EQ(decoder_flops(c, 2),
            2 * (2 * 7 * 6 * 8 + 2 * 5 * 8 * 4 + 6 * 6 * 8 * 16 + 6 * 4 * 4 * 2 + 12 * 6 * 8 * 4 + 12 * 7 * 2));
  c.resblock.front() = '2';  // two convolutions a block
  EXPECT_EQ(decoder_flops(c, 2),
            2 * (2 * 7 * 6 * 8 + 2 * 5 * 8 * 4 + 6 * 2 * 8 * 16 + 6 * 4 * 4 * 2 + 12 * 2 * 8 * 4 + 12 * 7 * 2));
}

TEST(DecoderFlops, FullSizeVoiceTakesItsKnownCost) {
  // 56 GFLOP a second of 44.1 kHz audio, in the format's default shape.
  const VoiceConfig full;
  const double frames_a_second = static_cast<double>(full.sampling_rate) / static_cast<double>(full.hop_length);
  EXPECT_NEAR(static_cast<double>(decoder_flops(full, 1)) * frames_a_second, 56e9, 0.5e9);
}

}  // namespace
}  // namespace hayakoe::model
