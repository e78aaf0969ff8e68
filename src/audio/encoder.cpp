// SPDX-License-Identifier: Apache-2.0
#include "audio/encoder.hpp"

#include <fmt/format.h>
#include <sndfile.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <hayakoe/error.hpp>
#include <string_view>
#include <utility>
#include <vector>

#include "audio/samples.hpp"
#include "audio/sndfile_format.hpp"
#include "audio/wav.hpp"

namespace hayakoe::audio {
namespace {

// Also keeps libvorbis from putting a whole utterance on the stack: it does so with what one call hands over.
constexpr std::size_t kChunk = 4096;

template <typename Function>
void for_chunks(std::span<const float> samples, Function function) {
  while (!samples.empty()) {
    const std::size_t count = std::min(kChunk, samples.size());
    function(samples.first(count));
    samples = samples.subspan(count);
  }
}

class WavEncoder final : public Encoder {
 public:
  WavEncoder(Output& output, SampleFormat format, int sample_rate)
      : output_(output), format_(format), sample_rate_(sample_rate) {
    output_.write_at(0, wav_stream_header(sample_rate_, format_));
  }

  void write(std::span<const float> samples) override {
    if (output_.can_rewrite() && samples.size() > wav_max_samples(format_) - count_) {
      (void)wav_header(sample_rate_, format_, count_ + samples.size());  // throws the error that fits
    }
    for_chunks(samples, [this](std::span<const float> chunk) {
      output_.write_at(output_.size(), pcm_bytes(chunk, format_));
      count_ += chunk.size();
    });
  }

  void finish() override {
    if (output_.can_rewrite()) {
      output_.write_at(0, wav_header(sample_rate_, format_, count_));
    }
  }

 private:
  Output& output_;
  SampleFormat format_;
  int sample_rate_;
  std::uint64_t count_ = 0;
};

// libsndfile writes through these callbacks. No exception may pass through its C code, so the first one is kept, and
// later bytes are dropped, until the call into libsndfile is over. Meanwhile it is told that all is well: it does not
// free what it has when writing the first pages of an Ogg file fails.
class SndfileEncoder final : public Encoder {
 public:
  SndfileEncoder(Output& output, Container container, SampleFormat format, int sample_rate)
      : output_(output), container_(container), format_(format) {
    SF_INFO info{};
    info.samplerate = sample_rate;
    info.channels = 1;
    info.format = sndfile_format(container, format);
    file_.reset(sf_open_virtual(&callbacks_, SFM_WRITE, &info, this));
    rethrow();
    if (file_ == nullptr) {
      fail(sf_strerror(nullptr));
    }
    if (container == Container::kMp3 && !output.can_rewrite()) {
      use_constant_bitrate(sample_rate);
    }
  }

  // sf_close() writes what it still has, which is not wanted unless finish() asks for it.
  ~SndfileEncoder() override { is_abandoned_ = true; }

  void write(std::span<const float> samples) override {
    is_empty_ = is_empty_ && samples.empty();
    for_chunks(samples, [this](std::span<const float> chunk) {
      const sf_count_t written = write_chunk(chunk);
      rethrow();
      if (written != static_cast<sf_count_t>(chunk.size())) {
        fail(sf_strerror(file_.get()));
      }
    });
  }

  void finish() override {
    if (is_empty_ && output_.size() == 0) {
      write(std::vector<float>(1));  // else not even a header is written, and no player would take that for a file
    }
    const int error = sf_close(file_.release());
    rethrow();
    if (error != 0) {
      fail(sf_error_number(error));
    }
  }

 private:
  // With a variable bit rate a player needs the length from the header, or takes a part of the stream for the whole.
  void use_constant_bitrate(int sample_rate) {
    int mode = SF_BITRATE_MODE_CONSTANT;
    // The way from the highest bit rate to the lowest: 128 kbit/s at 32 kHz and above, 80 at 16 to 24 kHz.
    double level = sample_rate >= 32000 ? 2.0 / 3.0 : 0.5;
    sf_command(file_.get(), SFC_SET_BITRATE_MODE, &mode, sizeof mode);  // what it returns differs between versions
    if (sf_command(file_.get(), SFC_GET_BITRATE_MODE, nullptr, 0) != SF_BITRATE_MODE_CONSTANT ||
        sf_command(file_.get(), SFC_SET_COMPRESSION_LEVEL, &level, sizeof level) != SF_TRUE) {
      fail("the installed libsndfile has no constant bit rate");
    }
  }

  sf_count_t write_chunk(std::span<const float> chunk) {
    const auto count = static_cast<sf_count_t>(chunk.size());
    if (container_ != Container::kFlac) {
      floats_.resize(chunk.size());
      std::transform(chunk.begin(), chunk.end(), floats_.begin(), to_unit);
      return sf_write_float(file_.get(), floats_.data(), count);
    }
    // libsndfile takes the upper bits of an int. Converting here, not there, gives the same samples in every container.
    integers_.resize(chunk.size());
    std::transform(chunk.begin(), chunk.end(), integers_.begin(), [this](float sample) {
      return format_ == SampleFormat::kFloat ? to_pcm24(sample) * (1 << 8) : to_pcm16(sample) * (1 << 16);
    });
    return sf_write_int(file_.get(), integers_.data(), count);
  }

  void rethrow() {
    if (error_) {
      is_abandoned_ = true;
      std::rethrow_exception(error_);
    }
  }

  [[noreturn]] void fail(std::string_view reason) {
    is_abandoned_ = true;
    throw Error(fmt::format("encoding as {} failed: {}", container_name(container_), reason));
  }

  struct Close {
    void operator()(SNDFILE* file) const { sf_close(file); }
  };

  static SndfileEncoder& self(void* user) { return *static_cast<SndfileEncoder*>(user); }

  static sf_count_t on_size(void* user) { return static_cast<sf_count_t>(self(user).output_.size()); }

  static sf_count_t on_seek(sf_count_t offset, int whence, void* user) {
    SndfileEncoder& encoder = self(user);
    const sf_count_t size = on_size(user);
    const sf_count_t base = whence == SEEK_SET ? 0 : (whence == SEEK_CUR ? encoder.position_ : size);
    encoder.position_ = std::clamp<sf_count_t>(base + offset, 0, size);
    return encoder.position_;
  }

  static sf_count_t on_read(void* /*data*/, sf_count_t /*count*/, void* /*user*/) { return 0; }

  static sf_count_t on_write(const void* data, sf_count_t count, void* user) {
    SndfileEncoder& encoder = self(user);
    if (!encoder.is_abandoned_ && !encoder.error_) {
      try {
        encoder.output_.write_at(static_cast<std::uint64_t>(encoder.position_),
                                 {static_cast<const char*>(data), static_cast<std::size_t>(count)});
      } catch (...) {
        encoder.error_ = std::current_exception();
      }
    }
    encoder.position_ += count;
    return count;
  }

  static sf_count_t on_tell(void* user) { return self(user).position_; }

  SF_VIRTUAL_IO callbacks_ = {on_size, on_seek, on_read, on_write, on_tell};
  Output& output_;
  Container container_;
  SampleFormat format_;
  sf_count_t position_ = 0;
  std::exception_ptr error_;
  bool is_abandoned_ = false;
  bool is_empty_ = true;
  std::vector<float> floats_;
  std::vector<int> integers_;
  // Last, because closing it calls back into what stands above.
  std::unique_ptr<SNDFILE, Close> file_;
};

}  // namespace

std::unique_ptr<Encoder> make_encoder(Output& output, Container container, SampleFormat format, int sample_rate) {
  check_can_write(container, format, sample_rate);
  if (container == Container::kWav) {
    return std::make_unique<WavEncoder>(output, format, sample_rate);
  }
  return std::make_unique<SndfileEncoder>(output, container, format, sample_rate);
}

}  // namespace hayakoe::audio
