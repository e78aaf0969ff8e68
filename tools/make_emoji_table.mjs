// Makes data/emoji.tsv: emoji and their Japanese names out of Unicode CLDR.
//   npm install --prefix /tmp cldr-annotations-full@48.2.0
//   node tools/make_emoji_table.mjs /tmp/node_modules/cldr-annotations-full/annotations/ja/annotations.json
import { readFileSync, writeFileSync } from 'node:fs';

const annotations = JSON.parse(readFileSync(process.argv[2], 'utf8')).annotations.annotations;
const isEmoji = (text) => /\p{Emoji}/u.test(text) && !/^[\x20-\x7E]+$/.test(text) && !/^[\u3000-\u33FF]$/u.test(text);
// Letters and marks that are emoji only with a variation selector behind them.
const isWord = (text) => /^[©®™‼⁉ℹ#*0-9]/u.test(text);
const rows = Object.entries(annotations)
  .filter(([emoji, { tts }]) => tts && isEmoji(emoji) && !isWord(emoji))
  .map(([emoji, { tts }]) => `${emoji}\t${tts[0]}`)
  .sort();
writeFileSync(
  'data/emoji.tsv',
  `# Emoji and their Japanese names, divided by tabs. From Unicode CLDR 48.2, made by tools/make_emoji_table.mjs.\n${rows.join('\n')}\n`,
);
