// SPDX-License-Identifier: Apache-2.0
// Makes data/english/english.tsv: English words and their katakana.
//
//   npm install --prefix DIR cmu-pronouncing-dictionary@3.0.0
//   node tools/make_english_table.mjs DIR/node_modules/cmu-pronouncing-dictionary/index.js
//
// Sources: data/english/loanwords.tsv, written by hand, wins; all other words come from the CMU Pronouncing Dictionary
// by the rules below. They imitate how Japanese borrows words: by sound for clear vowels and consonants, by spelling
// for reduced vowels, which is why letters are aligned with phones first.
import {readFileSync, writeFileSync} from 'node:fs';
import {pathToFileURL} from 'node:url';

import {align} from './english/align.mjs';
import {toKana} from './english/kana.mjs';

const root = new URL('../', import.meta.url);
const dictionaryPath = process.argv[2];
if (!dictionaryPath) {
  console.error('usage: node make_english_table.mjs PATH/cmu-pronouncing-dictionary/index.js');
  process.exit(2);
}
const {dictionary} = await import(pathToFileURL(dictionaryPath));

function rowsOf(path) {
  return readFileSync(new URL(path, root), 'utf8')
      .split('\n')
      .map((line, index) => ({line: line.replace(/\r$/, ''), index}))
      .filter(({line}) => line !== '' && !line.startsWith('#'))
      .map(({line, index}) => ({cells: line.split('\t'), where: `${path}:${index + 1}`}));
}

const kanaUnits = new Set(rowsOf('data/mora.tsv').map(({cells}) => cells[0]));

// Every kana must be one that the engine has phones for; ー must follow something.
function isReadable(kana) {
  for (let i = 0; i < kana.length;) {
    if (kana[i] === 'ー' && i > 0) {
      i += 1;
    } else if (kanaUnits.has(kana.slice(i, i + 2)) && i + 2 <= kana.length) {
      i += 2;
    } else if (kanaUnits.has(kana[i])) {
      i += 1;
    } else {
      return false;
    }
  }
  return kana !== '';
}

function readLoanwords() {
  const words = new Map();
  for (const {cells, where} of rowsOf('data/english/loanwords.tsv')) {
    const [word, kana] = cells;
    if (cells.length !== 2 || !/^[A-Za-z]+$/.test(word)) throw new Error(`${where}: not "word<TAB>kana"`);
    if (!isReadable(kana)) throw new Error(`${where}: ${kana} is not katakana that can be read`);
    if (words.has(word)) throw new Error(`${where}: ${word} stands twice`);
    words.set(word, kana);
  }
  return words;
}

// `buttons` follows the hand-made `button`, if it is pronounced as its plural.
function pluralOf(word, phones, words, loanwords) {
  const stem = word.slice(0, -1);
  const kana = word.endsWith('s') && loanwords.get(stem);
  if (!kana || !words.has(stem)) return undefined;
  const sounds = soundsOf(phones);
  const stemSounds = soundsOf(words.get(stem));
  if (sounds === `${stemSounds} Z`) return kana.replace(/ド$/, '') + 'ズ';
  if (sounds === `${stemSounds} S`) return kana.endsWith('ト') ? kana.replace(/ト$/, 'ツ') : kana + 'ス';
  return undefined;
}

// Words of the dictionary with their first pronunciation. Single letters are left to the analyser, which spells them.
function readDictionary() {
  const words = new Map();
  for (const [word, pronunciation] of Object.entries(dictionary)) {
    if (/^[a-z]{2,}$/.test(word))
      words.set(word, pronunciation.replace(/ *#.*/, '').split(' '));  // some carry a remark
  }
  return words;
}

// Stress is 0 or not; whether it is primary or secondary changes in compounds.
const soundsOf = (phones) => phones.join(' ').replace(/2/g, '1');

// Words that begin with a vowel and still stand for themselves at the end of a compound.
const OPEN_TAILS = new Set(['up', 'out', 'over', 'end', 'eye', 'earth', 'air', 'office', 'art']);

// The two words that make up a compound like `network`, both spelled and pronounced as its halves.
function partsOf(word, phones, words) {
  const sounds = soundsOf(phones);
  const splits = [];
  for (let i = 2; i < word.length - 1; ++i) {
    const [head, tail] = [word.slice(0, i), word.slice(i)];
    if (/^[aeiou]/.test(tail) && !OPEN_TAILS.has(tail)) continue;  // im-port, not imp-ort
    if ([head, tail].some((part) => !words.has(part) || (part.length < 3 && part !== 'up'))) continue;
    if (`${soundsOf(words.get(head))} ${soundsOf(words.get(tail))}` === sounds) splits.push([head, tail]);
  }
  const shorter = (pair) => Math.min(pair[0].length, pair[1].length);
  return splits.sort((a, b) => shorter(b) - shorter(a))[0];
}

function main() {
  const loanwords = readLoanwords();
  const words = readDictionary();
  const table = new Map(loanwords);
  const convert = (word) => {
    if (table.has(word)) return table.get(word);
    const phones = words.get(word);
    const parts = partsOf(word, phones, words);
    const kana = parts ? parts.map(convert).join('') :
                         pluralOf(word, phones, words, loanwords) ?? toKana(word, phones, align(word, phones));
    if (!isReadable(kana)) throw new Error(`${word} (${phones.join(' ')}): ${kana} cannot be read`);
    table.set(word, kana);
    return kana;
  };
  for (const word of words.keys()) convert(word);
  const sorted = [...table.keys()].sort();  // ASCII only, so this is byte order
  const header = [
    '# English words and their katakana: word, tab, kana; sorted by byte order. Made by tools/make_english_table.mjs.',
    '# Words in capitals are found only where they are written so.',
    '# Sources: data/english/loanwords.tsv and, by rule, the CMU Pronouncing Dictionary, Copyright (C) 1993-2015',
    '# Carnegie Mellon University, all rights reserved, BSD-2-Clause (data/english/LICENSE.cmudict).',
  ];
  const text = [...header, ...sorted.map((word) => `${word}\t${table.get(word)}`)].join('\n') + '\n';
  writeFileSync(new URL('data/english/english.tsv', root), text);
  console.log(`${sorted.length} words, ${loanwords.size} of them by hand, ${Buffer.byteLength(text)} bytes`);
}

main();
