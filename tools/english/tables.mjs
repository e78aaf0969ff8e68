// SPDX-License-Identifier: Apache-2.0
// ARPAbet consonants as katakana. The engine's voices were not trained on ヴ, so V is written with バ行.

// Kana of each consonant before a i u e o.
export const ROWS = {
  '': 'ア イ ウ エ オ',
  K: 'カ キ ク ケ コ',
  G: 'ガ ギ グ ゲ ゴ',
  S: 'サ シ ス セ ソ',
  Z: 'ザ ジ ズ ゼ ゾ',
  T: 'タ ティ トゥ テ ト',
  D: 'ダ ディ ドゥ デ ド',
  N: 'ナ ニ ヌ ネ ノ',
  HH: 'ハ ヒ フ ヘ ホ',
  B: 'バ ビ ブ ベ ボ',
  P: 'パ ピ プ ペ ポ',
  M: 'マ ミ ム メ モ',
  R: 'ラ リ ル レ ロ',
  F: 'ファ フィ フ フェ フォ',
  W: 'ワ ウィ ウ ウェ ウォ',
  Y: 'ヤ イ ユ イエ ヨ',
  SH: 'シャ シ シュ シェ ショ',
  CH: 'チャ チ チュ チェ チョ',
  JH: 'ジャ ジ ジュ ジェ ジョ',
};
Object.assign(ROWS, {L: ROWS.R, V: ROWS.B, TH: ROWS.S, DH: ROWS.Z, ZH: ROWS.JH});
for (const name of Object.keys(ROWS)) ROWS[name] = ROWS[name].split(' ');

// Before the sound of `u` in music.
export const GLIDE = {
  '': 'ユ',
  K: 'キュ',
  G: 'ギュ',
  N: 'ニュ',
  HH: 'ヒュ',
  B: 'ビュ',
  P: 'ピュ',
  M: 'ミュ',
  R: 'リュ',
  L: 'リュ',
  F: 'フュ',
  V: 'ビュ',
  T: 'チュ',
  D: 'デュ',
  S: 'シュ',
  Z: 'ジュ',
  TH: 'シュ',
  DH: 'ジュ',
  W: 'ユ',
  Y: 'ユ',
  SH: 'シュ',
  CH: 'チュ',
  JH: 'ジュ',
  ZH: 'ジュ',
};

// A consonant without a vowel.
export const ALONE = {
  K: 'ク',
  G: 'グ',
  S: 'ス',
  Z: 'ズ',
  T: 'ト',
  D: 'ド',
  N: 'ン',
  HH: 'フ',
  B: 'ブ',
  P: 'プ',
  M: 'ム',
  R: 'ル',
  F: 'フ',
  W: 'ウ',
  Y: 'イ',
  SH: 'シュ',
  CH: 'チ',
  JH: 'ジ',
  L: 'ル',
  V: 'ブ',
  TH: 'ス',
  DH: 'ズ',
  ZH: 'ジュ',
  NG: 'ング',
};
