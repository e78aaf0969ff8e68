// SPDX-License-Identifier: Apache-2.0
#include "model/made/config_json.hpp"

#include <nlohmann/json.hpp>

namespace hayakoe::model {
namespace {

using Json = nlohmann::ordered_json;

std::string to_text(const Json& json) { return json.dump(2) + "\n"; }

}  // namespace

std::string config_json(const VoiceConfig& c) {
  Json json;
  json["model_name"] = c.model_name;
  json["version"] = c.version;
  json["data"] = {
      {"use_jp_extra", true},
      {"max_wav_value", 32768.0},
      {"sampling_rate", c.sampling_rate},
      {"filter_length", 4 * c.hop_length},
      {"hop_length", c.hop_length},
      {"win_length", 4 * c.hop_length},
      {"n_mel_channels", 128},
      {"mel_fmin", 0.0},
      {"mel_fmax", nullptr},
      {"add_blank", c.add_blank},
      {"n_speakers", c.n_speakers},
      {"cleaned_text", true},
      {"spk2id", c.spk2id},
      {"num_styles", c.num_styles},
      {"style2id", c.style2id},
  };
  json["model"] = {
      {"use_spk_conditioned_encoder", true},
      {"use_noise_scaled_mas", true},
      {"use_mel_posterior_encoder", false},
      {"use_duration_discriminator", false},
      {"use_wavlm_discriminator", true},
      {"inter_channels", c.inter_channels},
      {"hidden_channels", c.hidden_channels},
      {"filter_channels", c.filter_channels},
      {"n_heads", c.n_heads},
      {"n_layers", c.n_layers},
      {"kernel_size", c.kernel_size},
      {"p_dropout", 0.1},
      {"resblock", c.resblock},
      {"resblock_kernel_sizes", c.resblock_kernel_sizes},
      {"resblock_dilation_sizes", c.resblock_dilation_sizes},
      {"upsample_rates", c.upsample_rates},
      {"upsample_initial_channel", c.upsample_initial_channel},
      {"upsample_kernel_sizes", c.upsample_kernel_sizes},
      {"n_layers_q", 3},
      {"use_spectral_norm", false},
      {"gin_channels", c.gin_channels},
  };
  return to_text(json);
}

std::string config_json(const BertConfig& c) {
  return to_text({
      {"architectures", Json::array({"DebertaV2ForMaskedLM"})},
      {"attention_head_size", c.hidden / c.heads},
      {"conv_act", "gelu"},
      {"conv_kernel_size", c.conv_kernel},
      {"hidden_act", "gelu"},
      {"hidden_size", c.hidden},
      {"intermediate_size", c.intermediate},
      {"layer_norm_eps", 1e-7},
      {"max_position_embeddings", c.max_positions},
      {"max_relative_positions", -1},
      {"model_type", "deberta-v2"},
      {"norm_rel_ebd", "layer_norm"},
      {"num_attention_heads", c.heads},
      {"num_hidden_layers", c.layers},
      {"pad_token_id", 0},
      {"pos_att_type", {"p2c", "c2p"}},
      {"position_biased_input", false},
      {"position_buckets", c.position_buckets},
      {"relative_attention", true},
      {"share_att_key", true},
      {"torch_dtype", "float32"},
      {"type_vocab_size", 0},
      {"vocab_size", c.vocab},
  });
}

}  // namespace hayakoe::model
