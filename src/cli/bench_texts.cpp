// SPDX-License-Identifier: Apache-2.0
#include "cli/bench_texts.hpp"

#include <algorithm>
#include <array>

#include "text/unicode.hpp"

namespace hayakoe::cli {
namespace {

// Of the lengths that people write, in no order: 25, 18, 33, 12, 28, 45, 22, 15, 38, 25, 10, 30, 20, 41, 24 and 14
// characters.
constexpr std::array<std::string_view, kBenchSentences> kSentences{
    "今日は朝からよく晴れたので、洗濯物がすぐ乾きました",
    "駅前の新しいパン屋はもう行きましたか",
    "来週の会議は水曜日の午後二時から、いつもの大きな部屋で行う予定です",
    "少し休んでから出かけよう",
    "図書館から借りた本を返すのを、またすっかり忘れていました",
    "子どものころに住んだ町を久しぶりに訪ねてみると、広かったはずの公園がとても小さく見えました",
    "電車が遅れるので、先に店に入っていてください",
    "庭の桜がようやく咲き始めました",
    "この道をまっすぐ進み、二つ目の信号を右に曲がると、左側に郵便局が見えてきます",
    "母が作る味噌汁は、どんな料理よりもほっとする味です",
    "窓を閉めてくれますか",
    "山の上から見た夜の街は、宝石を散りばめたように輝いていました",
    "冷蔵庫に残っていた野菜でお鍋を作りました",
    "最近は便利な道具が増えましたが、手紙を書くときは今でも万年筆を使うようにしています",
    "明日の朝は冷えるそうなので、暖かくして出かけてね",
    "お飲み物はいかがいたしますか",
};
constexpr std::string_view kShort = "いらっしゃいませ";
constexpr std::string_view kMedium = kSentences[11];
constexpr std::string_view kStop = "。";

std::string ended(std::string_view sentence) { return std::string(sentence) + std::string(kStop); }

}  // namespace

std::vector<std::string> bench_sentences(int count) {
  std::vector<std::string> all;
  for (int i = 0; i < std::min(count, kBenchSentences); ++i) all.push_back(ended(kSentences[static_cast<size_t>(i)]));
  return all;
}

std::string bench_text(int count) {
  std::string text;
  for (const std::string& sentence : bench_sentences(count)) text += sentence;
  return text;
}

std::string short_text() { return ended(kShort); }
std::string medium_text() { return ended(kMedium); }

int64_t characters(std::string_view text) {
  const std::u32string all = text::to_u32(text);
  return static_cast<int64_t>(all.size()) - std::count(all.begin(), all.end(), U'。');
}

}  // namespace hayakoe::cli
