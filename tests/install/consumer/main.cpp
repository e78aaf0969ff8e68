// SPDX-License-Identifier: Apache-2.0
// The example of the header.
#include <cstdio>
#include <hayakoe/hayakoe.hpp>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  hayakoe::Engine engine;
  const hayakoe::Voice voice = engine.load("demo", argv[1]);
  engine.prepare();
  const hayakoe::Audio audio = voice.generate("こんにちは。今日はいい天気ですね。");
  std::printf("%d Hz, %zu samples\n", audio.sample_rate, audio.samples.size());
  try {
    (void)engine.load("none", "/nonexistent");
  } catch (const hayakoe::Error&) {
    return 0;  // the library's exception type is the program's
  }
  return 1;
}
