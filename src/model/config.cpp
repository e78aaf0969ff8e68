// SPDX-License-Identifier: Apache-2.0
#include "model/config.hpp"

#include <fmt/format.h>

#include <fstream>
#include <hayakoe/error.hpp>
#include <nlohmann/json.hpp>

namespace hayakoe::model {
namespace {

using nlohmann::json;

// Reads typed values from an object and names the key in every complaint.
class Reader {
 public:
  Reader(const json& object, std::string where) : object_(object), where_(std::move(where)) {}

  [[nodiscard]] Reader section(const char* key) const {
    static const json kNothing = json::object();
    const json* found = find(key);
    if (found == nullptr) return {kNothing, fmt::format("{}: {}", where_, key)};
    if (!found->is_object()) fail(key, "must be an object");
    return {*found, fmt::format("{}: {}", where_, key)};
  }

  void text(const char* key, std::string& out) const {
    const json* v = find(key);
    if (v == nullptr) return;
    if (!v->is_string()) fail(key, "must be a string");
    out = v->get<std::string>();
  }

  void flag(const char* key, bool& out) const {
    const json* v = find(key);
    if (v == nullptr) return;
    if (!v->is_boolean()) fail(key, "must be true or false");
    out = v->get<bool>();
  }

  void integer(const char* key, int64_t& out, int64_t low, int64_t high) const {
    if (const json* v = find(key)) out = checked(key, *v, low, high);
  }

  void number(const char* key, float& out) const {
    const json* v = find(key);
    if (v == nullptr) return;
    if (!v->is_number()) fail(key, "must be a number");
    out = v->get<float>();
  }

  void integers(const char* key, std::vector<int64_t>& out, int64_t low, int64_t high) const {
    if (const json* v = find(key)) out = list(key, *v, low, high);
  }

  void lists(const char* key, std::vector<std::vector<int64_t>>& out, int64_t low, int64_t high) const {
    const json* v = find(key);
    if (v == nullptr) return;
    if (!v->is_array() || v->empty() || v->size() > kMostEntries)
      fail(key, "must be a short list of lists of integers");
    out.clear();
    for (const json& entry : *v) out.push_back(list(key, entry, low, high));
  }

  void ids(const char* key, std::map<std::string, int64_t>& out) const {
    const json* v = find(key);
    if (v == nullptr) return;
    if (!v->is_object()) fail(key, "must be an object of names and numbers");
    out.clear();
    for (const auto& [name, id] : v->items()) out[name] = checked(key, id, 0, 1'000'000);
  }

  [[noreturn]] void fail(const char* key, const std::string& what) const {
    throw Error(fmt::format("{}: '{}' {}", where_, key, what));
  }

 private:
  static constexpr size_t kMostEntries = 64;

  [[nodiscard]] const json* find(const char* key) const {
    const auto it = object_.find(key);
    return it == object_.end() || it->is_null() ? nullptr : &*it;
  }

  [[nodiscard]] int64_t checked(const char* key, const json& v, int64_t low, int64_t high) const {
    const bool whole =
        v.is_number_integer() ||
        (v.is_number_float() &&
         v.get<double>() == static_cast<double>(static_cast<int64_t>(std::clamp(v.get<double>(), -1e15, 1e15))));
    if (!whole) fail(key, "must be a whole number");
    const double value = v.get<double>();
    if (value < static_cast<double>(low) || value > static_cast<double>(high)) {
      fail(key, fmt::format("is {}, but must be {} to {}", v.dump(), low, high));
    }
    return v.get<int64_t>();
  }

  [[nodiscard]] std::vector<int64_t> list(const char* key, const json& v, int64_t low, int64_t high) const {
    if (!v.is_array() || v.empty() || v.size() > kMostEntries) fail(key, "must be a short list of integers");
    std::vector<int64_t> out;
    for (const json& entry : v) out.push_back(checked(key, entry, low, high));
    return out;
  }

  const json& object_;
  std::string where_;
};

// nlohmann's parser keeps its state on the heap, so that nesting cannot overflow the stack, but its destructor and our
// readers expect sane depth; configurations nest three deep.
json parse_object(std::string_view text, const std::string& where) {
  constexpr int kDepth = 64;
  json value;
  try {
    value = json::parse(text, [](int depth, json::parse_event_t, json&) {
      if (depth > kDepth) throw Error("nested too deeply");
      return true;
    });
  } catch (const json::exception& e) {
    throw Error(fmt::format("{}: not valid JSON ({})", where, e.what()));
  } catch (const Error& e) {
    throw Error(fmt::format("{}: {}", where, e.what()));
  }
  if (!value.is_object()) throw Error(where + ": must be a JSON object");
  return value;
}

void check_decoder(const VoiceConfig& c, const std::string& where) {
  if (c.upsample_rates.size() != c.upsample_kernel_sizes.size()) {
    throw Error(fmt::format("{}: model: 'upsample_rates' has {} entries and 'upsample_kernel_sizes' {}; they must pair",
                            where, c.upsample_rates.size(), c.upsample_kernel_sizes.size()));
  }
  int64_t product = 1;
  for (size_t i = 0; i < c.upsample_rates.size(); ++i) {
    product *= c.upsample_rates[i];
    const int64_t excess = c.upsample_kernel_sizes[i] - c.upsample_rates[i];
    if (excess < 0 || excess % 2 != 0) {
      throw Error(
          fmt::format("{}: model: upsample kernel {} does not fit rate {}; the kernel must be larger by an even number",
                      where, c.upsample_kernel_sizes[i], c.upsample_rates[i]));
    }
    if (product > 1 << 16) throw Error(where + ": model: 'upsample_rates' multiply to more than 65536");
  }
  if (product != c.hop_length) {
    throw Error(
        fmt::format("{}: data: 'hop_length' is {}, but 'upsample_rates' multiply to {}", where, c.hop_length, product));
  }
  if (c.upsample_initial_channel >> c.upsample_rates.size() < 1) {
    throw Error(where + ": model: 'upsample_initial_channel' is too small to be halved once for each upsample rate");
  }
  if (c.resblock_kernel_sizes.size() != c.resblock_dilation_sizes.size()) {
    throw Error(where +
                ": model: 'resblock_kernel_sizes' and 'resblock_dilation_sizes' must have the same number of entries");
  }
  const size_t needed = c.resblock == "1" ? 3 : 2;
  for (const auto& dilations : c.resblock_dilation_sizes) {
    if (dilations.size() < needed) {
      throw Error(
          fmt::format("{}: model: resblock \"{}\" needs {} dilations in every list of 'resblock_dilation_sizes'", where,
                      c.resblock, needed));
    }
  }
  for (const int64_t k : c.resblock_kernel_sizes) {
    if (k % 2 == 0) throw Error(where + ": model: 'resblock_kernel_sizes' must be odd");
  }
}

}  // namespace

VoiceConfig VoiceConfig::parse(std::string_view text, const std::string& where) {
  const json root = parse_object(text, where);
  VoiceConfig c;
  const Reader top(root, where);
  c.version = "2.0-JP-Extra";
  top.text("version", c.version);
  top.text("model_name", c.model_name);
  if (!c.version.ends_with("JP-Extra")) {
    throw Error(
        fmt::format("{}: 'version' is \"{}\": not a JP-Extra voice; only Style-Bert-VITS2 JP-Extra voices can be used",
                    where, c.version));
  }

  const Reader data = top.section("data");
  c.spk2id = {{"Dummy", 0}};
  c.style2id = {{"Neutral", 0}};
  data.integer("sampling_rate", c.sampling_rate, 1000, 384000);
  data.integer("hop_length", c.hop_length, 1, 1 << 16);
  data.flag("add_blank", c.add_blank);
  data.integer("n_speakers", c.n_speakers, 0, 1'000'000);
  data.ids("spk2id", c.spk2id);
  data.integer("num_styles", c.num_styles, 1, 1'000'000);
  data.ids("style2id", c.style2id);

  constexpr int64_t kMostChannels = 1 << 14;
  const Reader model = top.section("model");
  model.integer("inter_channels", c.inter_channels, 2, kMostChannels);
  model.integer("hidden_channels", c.hidden_channels, 1, kMostChannels);
  model.integer("filter_channels", c.filter_channels, 1, kMostChannels);
  model.integer("n_heads", c.n_heads, 1, 256);
  model.integer("n_layers", c.n_layers, 3, 256);  // the speaker is added before the third
  model.integer("kernel_size", c.kernel_size, 1, 63);
  model.integer("gin_channels", c.gin_channels, 1, kMostChannels);
  model.integers("resblock_kernel_sizes", c.resblock_kernel_sizes, 1, 63);
  model.lists("resblock_dilation_sizes", c.resblock_dilation_sizes, 1, 1024);
  model.integers("upsample_rates", c.upsample_rates, 1, 1024);
  model.integers("upsample_kernel_sizes", c.upsample_kernel_sizes, 1, 4096);
  model.integer("upsample_initial_channel", c.upsample_initial_channel, 1, kMostChannels);
  if (const auto m = root.find("model"); m != root.end() && m->contains("resblock")) {
    c.resblock = (*m)["resblock"] == "1" ? "1" : "2";  // the format takes anything but the string "1" for "2"
  }
  bool conditioned = true;
  model.flag("use_spk_conditioned_encoder", conditioned);
  if (!conditioned)
    model.fail("use_spk_conditioned_encoder", "is false, but JP-Extra voices have a speaker-conditioned encoder");
  if (c.hidden_channels % c.n_heads != 0) model.fail("hidden_channels", "must be a multiple of n_heads");
  if (c.inter_channels % 2 != 0) model.fail("inter_channels", "must be even");
  check_decoder(c, where);
  for (const auto& [name, id] : c.style2id) {
    if (id >= c.num_styles)
      throw Error(fmt::format("{}: data: style '{}' has id {}, but 'num_styles' is {}", where, name, id, c.num_styles));
  }
  return c;
}

BertConfig BertConfig::parse(std::string_view text, const std::string& where) {
  const json root = parse_object(text, where);
  const Reader top(root, where);
  std::string type = "deberta-v2";
  top.text("model_type", type);
  if (type != "deberta-v2")
    top.fail("model_type", fmt::format("is \"{}\", but JP-Extra voices use a deberta-v2 model", type));
  BertConfig c;
  constexpr int64_t kMostChannels = 1 << 16;
  top.integer("hidden_size", c.hidden, 1, kMostChannels);
  top.integer("num_hidden_layers", c.layers, 3, 1024);
  top.integer("num_attention_heads", c.heads, 1, 1024);
  top.integer("intermediate_size", c.intermediate, 1, kMostChannels);
  top.integer("vocab_size", c.vocab, 5, 10'000'000);
  top.integer("position_buckets", c.position_buckets, 2, kMostChannels);
  top.integer("max_position_embeddings", c.max_positions, 4, kMostChannels);
  c.conv_kernel = 0;
  top.integer("conv_kernel_size", c.conv_kernel, 0, 63);
  top.number("layer_norm_eps", c.layer_norm_eps);
  int64_t relative = -1;
  top.integer("max_relative_positions", relative, -1, kMostChannels);
  if (relative > 0) c.max_positions = relative;
  if (c.max_positions <= c.position_buckets / 2 + 1)
    top.fail("max_position_embeddings", "must be more than half of position_buckets");
  if (c.hidden % c.heads != 0) top.fail("hidden_size", "must be a multiple of num_attention_heads");
  int64_t head = c.hidden / c.heads;
  top.integer("attention_head_size", head, 1, kMostChannels);
  if (head * c.heads != c.hidden) top.fail("attention_head_size", "times num_attention_heads must be hidden_size");

  // The one flavour of DeBERTa-v2 that the format uses; another would be computed wrongly, so it is refused.
  const auto must_be = [&](const char* key, const json& right) {
    if (root.contains(key) && root[key] != right) top.fail(key, "must be " + right.dump() + " for this kind of BERT");
  };
  must_be("relative_attention", true);
  must_be("share_att_key", true);
  must_be("position_biased_input", false);
  must_be("type_vocab_size", 0);
  must_be("norm_rel_ebd", "layer_norm");
  must_be("hidden_act", "gelu");
  must_be("conv_act", "gelu");
  return c;
}

std::string read_text_file(const std::filesystem::path& path) {
  std::error_code ec;
  const auto status = std::filesystem::status(path, ec);
  if (!std::filesystem::exists(status)) throw Error(path.string() + ": there is no such file");
  if (!std::filesystem::is_regular_file(status)) throw Error(path.string() + ": is not a file");
  constexpr uintmax_t kLargest = 64 << 20;
  const uintmax_t size = std::filesystem::file_size(path, ec);
  if (ec || size > kLargest) throw Error(path.string() + ": is larger than the 64 MB that a text file may have");
  std::ifstream in(path, std::ios::binary);
  std::string text(static_cast<size_t>(size), '\0');
  in.read(text.data(), static_cast<std::streamsize>(size));
  if (!in) throw Error(path.string() + ": cannot be read");
  return text;
}

}  // namespace hayakoe::model
