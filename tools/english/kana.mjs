// SPDX-License-Identifier: Apache-2.0
// ARPAbet phones, with the letters they are spelled with, to katakana.
import {base, isVowel} from './align.mjs';
import {ALONE, GLIDE, ROWS} from './tables.mjs';

const SHORT = /^(AA|AE|AH|EH|IH|UH|AO)/;

// A word being converted: phones without stress, stresses, letters, and the position of each phone's letters.
class Word {
  constructor(word, phones, letters) {
    this.word = word;
    this.phones = phones.map(base);
    this.stress = phones.map((phone) => phone.match(/\d/)?.[0] ?? '');
    this.letters = letters;
    this.count = phones.length;
  }
  name(i) {
    return this.phones[i] ?? '';
  }
  vowelAt(i) {
    return i >= 0 && i < this.count && isVowel(this.phones[i]);
  }
  last(i) {
    return i === this.count - 1;
  }
  ing(i) {
    return this.name(i) === 'IH' && this.name(i + 1) === 'NG' && i + 2 === this.count;
  }
  ends(...tails) {
    return tails.some((tail) => this.word.endsWith(tail));
  }
}

const sound = (v, tail = '', used = 1) => ({v, tail, used});

// The vowel that a reduced one is written with in katakana.
function byLetter(letters, otherwise) {
  const known = {
    a: 'a',
    e: 'e',
    i: 'i',
    o: 'o',
    u: 'a',
    y: 'i',
    ou: 'a',
    io: 'o',
    eo: 'o',
    ia: 'a',
    ea: 'a',
    ai: 'e',
    ei: 'e',
    iou: 'a',
    eou: 'a',
    ie: 'e',
    ah: 'a',
    oo: 'a',
    oe: 'o',
    au: 'o',
    ue: 'e',
    ui: 'i',
    ey: 'i',
    ee: 'i',
  };
  return known[letters] ?? otherwise;
}

// AH, and IH where it is not stressed.
function reduced(w, i) {
  const letters = w.letters[i];
  const before = w.name(i - 1);
  const after = w.name(i + 1);
  const final = i + 2 >= w.count;                                                      // at most one phone follows
  if (w.name(i) === 'AH' && w.stress[i] !== '0' && letters !== '') return sound('a');  // love
  const en = letters === 'e' && w.ends('en', 'ens') && after === 'N' && i + 3 >= w.count;
  if (en && (before === 'CH' || w.letters[i - 1] === 'ck')) return sound('i');  // kitchen, chicken
  // What the consonant before gets by itself: apple, rhythm, open, lesson, season.
  const on = letters === 'o' && after === 'N' && /^(ss|s)$/.test(w.letters[i - 1]) && /^(S|Z)$/.test(before);
  if (letters === '' || (en && /^[PKVSTF]$/.test(before)) || (on && (before === 'Z' || w.letters[i - 1] === 'ss'))) {
    return sound('');
  }
  if (after === 'W' && letters === 'u' && w.letters[i + 1] === '') return sound('u', '', 2);     // usual
  if (before === 'Y' && letters.startsWith('u') && w.letters[i - 1] !== 'i') return sound('u');  // popular
  if (/^(CH|JH|ZH)$/.test(before) && letters === 'u' && w.name(i) === 'AH') return sound('u');   // education
  if (letters === 'e' && w.ends('es') && after === 'Z' && final && /^(S|Z|SH|CH|JH|ZH)$/.test(before))
    return sound('i');                                                        // boxes
  if (before === 'D' && letters === 'o' && after === 'M') return sound('a');  // kingdom
  if (before === 'F' && letters === 'u' && after === 'L') return sound('u');  // beautiful
  if (letters === 'o' && after === 'M' && w.ends('ome')) return sound('a');   // handsome
  if (letters === 'a' && after === 'JH' && /age[rds]?(ment|rs|able)?$|aging$/.test(w.word))
    return sound('e', 'ー');                                                                // image
  if (letters === 'a' && after === 'N' && w.name(i + 2) === 'JH') return sound('e');        // orange
  if (letters === 'a' && after === 'T' && final && w.ends('ate')) return sound('e', 'ー');  // private
  if (letters === 'a' && after === 'S' && final && w.ends('ace')) return sound('e');        // surface
  if (letters === 'a' && before === 'OY') return {...sound('a'), glide: 'ヤ'};              // royal
  return sound(byLetter(letters, w.name(i) === 'IH' ? 'i' : 'a'));
}

function shortI(w, i) {
  const letters = w.letters[i];
  const before = w.name(i - 1);
  if (w.stress[i] !== '0') return sound('i');
  if (letters === 'e' && w.ends('es') && i + 2 === w.count && w.name(i + 1) === 'Z') return sound('i');  // boxes
  if (letters === 'e' && i <= 1 && /^[RBP]$/.test(before)) return sound('i');  // return, begin
  if (letters === 'e' || letters === 'a') return reduced(w, i);
  return sound(letters === 'o' ? 'o' : 'i');
}

// The vowel and a following R, which lengthens it or becomes ア unless a vowel follows.
function beforeR(w, i) {
  const name = w.name(i);
  const letters = w.letters[i];
  const onset = w.vowelAt(i + 2);
  const final = i + 2 === w.count;
  switch (name) {
    case 'AA':
      if (onset) return sound(letters.startsWith('o') ? 'o' : 'a');
      return sound('a', 'ー', 2);
    case 'AO':
      if (onset) {
        const ory = w.stress[i] === '1' && w.ends('ory', 'ories') && i + 4 >= w.count;  // story
        return sound('o', ory || /^(au|aw|ou)/.test(letters) ? 'ー' : '');
      }
      if (final && w.ends('ore', 'oor', 'oar')) return sound('o', 'ア', 2);  // store
      return sound('o', 'ー', 2);
    case 'EH':
      if (onset && letters === 'a') return {...sound('a'), palatal: /^[KG]$/.test(w.name(i - 1))};  // carry
      if (onset) return sound('e', letters === 'ai' ? 'ア' : '');                                   // very, fairy
      return sound('e', 'ア', 2);
    case 'IH':
    case 'IY':
      if (onset) return sound(letters === 'e' && /^[TPBD]$/.test(w.name(i - 1)) ? 'e' : 'i');  // material, serious
      return sound('i', w.name(i - 1) === 'Y' || i === 0 ? 'ヤー' : 'ア', 2);
    case 'UH':
    case 'UW':
      if (onset) return sound('u');
      return sound('u', 'ア', 2);
    case 'AW':
      return onset ? sound('a', 'ウ') : sound('a', 'ワー', 2);
    case 'AY':
      return onset ? sound('a', 'イ') : sound('a', 'イアー', 2);
    default:
      return undefined;
  }
}

function er(w, i) {
  const letters = w.letters[i];
  const stressed = w.stress[i] === '1';
  if (w.vowelAt(i + 1)) {  // the r begins the next mora
    let v = 'a';
    if (!stressed && letters.startsWith('e')) v = /^[VK]$/.test(w.name(i - 1)) && w.name(i + 1) === 'IY' ? 'a' : 'e';
    if (!stressed && letters.startsWith('o')) v = 'o';
    if (!stressed && letters.startsWith('u')) v = 'u';
    return {...sound(v), addsR: true};
  }
  if (w.last(i) && w.name(i - 1) === 'Y' && w.letters[i - 1] === 'i') return sound('a');  // familiar
  if (stressed || w.last(i)) return sound('a', 'ー');
  const closed = i + 2 >= w.count;  // one consonant ends the word
  if (letters.startsWith('or') && w.name(i + 1) !== 'Z') return sound('o', closed ? 'ー' : '');
  if (w.name(i + 1) === 'N' && closed) return sound('a');                  // modern
  if (w.name(i + 1) === 'F' && w.ends('ful', 'fully')) return sound('a');  // powerful
  return sound('a', 'ー');
}

function longA(w, i) {
  const letters = w.letters[i];
  const after = w.name(i + 1);
  if (w.last(i)) return w.ends('day') && w.stress[i] !== '1' ? sound('e', 'ー') : sound('e', 'イ');  // Sunday, play
  if (/^(ay|ey|ei)/.test(letters)) return sound('e', 'イ');
  if (letters === 'ai' && after !== 'L') return sound('e', 'イ');
  if (after === 'K' && (i + 2 >= w.count || w.ing(i + 2))) return sound('e', 'イ');  // make, making
  if (w.vowelAt(i + 1)) return sound('e', 'イ');
  if (after === 'N' && w.name(i + 2) === 'JH') return sound('e');  // change
  return sound('e', 'ー');
}

function longO(w, i) {
  const letters = w.letters[i];
  if (letters !== 'o' && letters !== 'oh') return sound('o', 'ー');
  if (w.last(i) && w.stress[i] !== '1') return sound('o');                                     // piano
  if (w.vowelAt(i + 1) && w.name(i + 1) !== 'IH') return sound('o');                           // poem
  if (!w.last(i) && w.stress[i] === '0') return sound('o');                                    // hotel
  if (w.name(i + 1) === 'S' && w.name(i + 2) === 'T' && i + 3 === w.count) return sound('o');  // most
  if (w.name(i + 1) === 'L' && w.name(i + 2) === 'D' && w.vowelAt(i + 3)) return sound('o');   // folder
  return sound('o', 'ー');
}

function longU(w, i) {
  const before = w.name(i - 1);
  const glide = before === 'Y' || (/^[TDN]$/.test(before) && /^(u|ew|eu|ue|ui)/.test(w.letters[i]));  // new
  const tail = (w.vowelAt(i + 1) && !w.ing(i + 1)) || (i === 1 && w.word.startsWith('uni')) ? '' : 'ー';
  return {...sound('u', tail), palatal: glide};
}

function vowel(w, i) {
  const name = w.name(i);
  const letters = w.letters[i];
  if (w.name(i + 1) === 'R') {
    const found = beforeR(w, i);
    if (found) return found;
  }
  if (/^(AY|EY|OY)$/.test(name) && w.ing(i + 1)) return sound({A: 'a', E: 'e', O: 'o'}[name[0]]);  // playing
  switch (name) {
    case 'AA':
      if (/^(au|aw|augh)$/.test(letters)) return sound('o', 'ー');  // audio
      if (letters.startsWith('o') || (w.name(i - 1) === 'W' && letters === 'a')) return sound('o');
      if (letters === 'a' && w.letters[i + 1] === 'll') return sound('o', 'ー');              // falling
      return sound('a', /^(al|ah|aa)$/.test(letters) || w.name(i + 1) === 'DH' ? 'ー' : '');  // calm, father
    case 'AE':
      return {...sound('a'), palatal: /^[KG]$/.test(w.name(i - 1))};  // cat
    case 'AH':
      return reduced(w, i);
    case 'AO':
      if (letters === 'a' && w.name(i - 1) === 'W' && w.name(i + 1) === 'N') return sound('o');  // want
      return letters === 'o' ? sound('o') : sound('o', 'ー');
    case 'AW':
      return w.name(i + 1) === 'ER' ? sound('a', 'ワー', 2) : sound('a', 'ウ');
    case 'AY':
    case 'OY': {
      const v = name === 'AY' ? 'a' : 'o';
      return w.name(i + 1) === 'ER' && !w.vowelAt(i + 2) ? sound(v, 'イヤー', 2) : sound(v, 'イ');
    }
    case 'EH':
      return sound('e');
    case 'ER':
      return er(w, i);
    case 'EY':
      return w.name(i + 1) === 'ER' && !w.vowelAt(i + 2) ? sound('e', 'イヤー', 2) : longA(w, i);
    case 'IH':
      return shortI(w, i);
    case 'IY': {
      if (letters === 'ay') return sound('e', 'ー');                     // Friday
      if (w.name(i + 1) === 'OW' && letters === 'e') return sound('e');  // video
      const ending = w.last(i) || (i + 2 === w.count && /^[ZD]$/.test(w.name(i + 1)));
      if (w.ing(i + 1)) return sound('i', w.stress[i] === '0' ? '' : 'ー');  // seeing
      return sound('i', !w.vowelAt(i + 1) && (w.stress[i] !== '0' || ending) ? 'ー' : '');
    }
    case 'OW':
      return longO(w, i);
    case 'UH':
      return {...sound('u'), palatal: w.name(i - 1) === 'Y'};
    case 'UW':
      return longU(w, i);
    default:
      throw new Error(`unknown vowel ${name} in ${w.word}`);
  }
}

// ッ before consonant i: at the end of the word, or where English doubles the letter.
function doubled(w, i) {
  if (!SHORT.test(w.name(i - 1))) return false;
  if (w.name(i - 1) === 'AH' && w.letters[i - 1] === '') return false;
  if (vowel(w, i - 1).tail !== '') return false;  // caught, image
  const name = w.name(i);
  if (w.vowelAt(i - 2) && name === 'D') return false;  // period
  const next = w.name(i + 1);
  if (w.last(i)) {
    if (name === 'F') return w.letters[i] === 'ff' && /^A[EH]$/.test(w.name(i - 1));  // staff
    return /^(P|T|K|D|G|CH|SH|JH)$/.test(name);
  }
  if (i + 2 === w.count) {
    if ((name === 'K' || name === 'P' || name === 'T') && next === 'S') return true;
    if (/^[DG]$/.test(name) && next === 'Z') return true;
    if (/^(P|K|CH|SH)$/.test(name) && next === 'T' && w.letters[i + 1] === 'ed') return true;  // stopped
  }
  const letters = w.letters[i];
  if (w.stress[i - 1] === '0') return false;
  const ing = w.ing(i + 1);
  if (next === 'AH' && w.letters[i + 1] === '') return name === 'P' || letters === 'ck';  // apple
  if (!w.vowelAt(i + 1)) return false;
  const age = /^(IH|AH)$/.test(next) && w.name(i + 2) === 'JH' && w.letters[i + 1] === 'a';  // package
  const on = next === 'AH' && w.letters[i + 1] === 'o' && w.name(i + 2) === 'N';             // lesson
  if (name === 'S') return letters === 'ss' && (age || on);
  if (name === 'P') return letters === 'pp';
  if (name === 'T') return letters === 'tt' && (ing || on);
  if (name === 'K' && age) return letters === 'ck';
  if (name === 'K')
    return (/^(ck|cc|kk)$/.test(letters) || (w.name(i - 1) === 'UH')) && (ing || /^(IY|ER)$/.test(next));
  if (name === 'CH') return letters === 'tch';
  if (name === 'SH') return /^ss/.test(letters) || (letters === 'sh' && (ing || next === 'AH'));
  return false;
}

// Consonants that share one kana or depend on the next consonant. Returns {kana, used} or undefined.
function cluster(w, i) {
  const name = w.name(i);
  const next = w.name(i + 1);
  if (name === 'T' && next === 'S' && !w.vowelAt(i + 2)) return {kana: 'ツ', used: 2};
  if (/^(D|DH)$/.test(name) && next === 'Z' && !w.vowelAt(i + 2)) return {kana: 'ズ', used: 2};
  if (name === 'M' && /^[PBMF]$/.test(next)) return {kana: 'ン', used: 1};
  if (name === 'NG' && next === 'K' && w.name(i + 2) === 'TH') return {kana: 'ング', used: 2};  // length
  if (name === 'NG' && /^[KG]$/.test(next)) return {kana: 'ン', used: 1};
  if (name === 'NG' && w.vowelAt(i + 1)) return {kana: 'ン', used: 1, onset: 'G'};
  return undefined;
}

// K W, G W, S W and T W before a vowel: クイ, グア, スイ, ツイ.
function labial(w, i) {
  if (!/^(K|G|S|T|D|TH|HH)$/.test(w.name(i)) || w.name(i + 1) !== 'W' || !w.vowelAt(i + 2)) return undefined;
  const after = vowel(w, i + 2);
  if (after.v === 'i' && /^[TD]$/.test(w.name(i))) {
    return w.name(i) === 'T' && after.tail === '' ? {kana: 'ツ', onset: ''} : {kana: ALONE[w.name(i)], onset: 'W'};
  }
  if (after.v === 'i') return {kana: ALONE[w.name(i)], onset: ''};
  if (after.v === 'e' || after.v === 'o') {
    return {
      kana: /^[TD]$/.test(w.name(i)) ? ROWS[w.name(i)][2] : ALONE[w.name(i)],
      onset: /^[KGTD]$/.test(w.name(i)) ? '' : 'W'
    };
  }
  return {kana: ALONE[w.name(i)], onset: 'W'};
}

function mora(consonant, s, alone) {
  if (s.v === '') return alone;
  if (s.glide) return s.glide;
  if (s.palatal && s.v === 'u') return GLIDE[consonant];
  if (s.palatal && s.v === 'a') return {K: 'キャ', G: 'ギャ'}[consonant];
  return ROWS[consonant]['aiueo'.indexOf(s.v)];
}

export function toKana(word, phones, letters) {
  const w = new Word(word, phones, letters);
  let out = '';
  let onset = '';  // a consonant that waits for its vowel
  const put = (i) => {
    const s = vowel(w, i);
    out += mora(onset, s, ALONE[onset] ?? 'ア') + s.tail;
    onset = s.addsR ? 'R' : '';
    return i + s.used;
  };
  for (let i = 0; i < w.count;) {
    if (w.vowelAt(i)) {
      i = put(i);
      continue;
    }
    const name = w.name(i);
    if (doubled(w, i)) out += 'ッ';
    const lips = labial(w, i);
    if (lips) {
      out += lips.kana;
      onset = lips.onset;
      i = put(i + 2);
      continue;
    }
    const joined = cluster(w, i);
    if (joined) {
      out += joined.kana;
      onset = joined.onset ?? '';
      i += joined.used;
      if (joined.onset) i = put(i);
      continue;
    }
    if (w.name(i + 1) === 'Y' && w.vowelAt(i + 2)) {  // music, million
      const s = vowel(w, i + 2);
      onset = name === 'NG' ? 'G' : name;
      if (s.v === 'u') {
        out += (name === 'NG' ? 'ン' : '') + GLIDE[onset] + s.tail;
        onset = s.addsR ? 'R' : '';
        i += 2 + s.used;
      } else {
        out += (name === 'NG' ? 'ン' : '') + ROWS[onset][1];
        onset = '';
        i = put(i + 2);
      }
      continue;
    }
    if (w.vowelAt(i + 1)) {
      onset = name;
      i = put(i + 1);
      continue;
    }
    out += ALONE[name];
    i += 1;
  }
  return out;
}
