// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "audio/format.hpp"

namespace hayakoe::audio {

/// The SF_FORMAT_* bits libsndfile knows this kind of file by.
[[nodiscard]] int sndfile_format(Container container, SampleFormat format);

}  // namespace hayakoe::audio
