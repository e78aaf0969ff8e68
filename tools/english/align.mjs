// SPDX-License-Identifier: Apache-2.0
// Which letters of a word stand for which phone: a cheapest alignment over hand-made spellings.

const SPELLINGS = {
  AA: 'a o ah al au aw ow ea aa e augh',
  AE: 'a au ai',
  AH: 'a e i o u y ou io ia ea ai eo iou eou oo oe ie ei ah ue au ui',
  AO: 'o a au aw ou oa oo augh ough al',
  AW: 'ou ow au',
  AY: 'i y igh ie ei ai uy ye eye ey ia eigh ay',
  EH: 'e ea a ai ie ei ae eo u ay ue',
  ER: 'er ir ur or ar ear our yr re eur ure ere err urr orr ier eer oar ire arr ro irr ore',
  EY: 'a ai ay ei ey eigh ea e ee ae et aigh au ie',
  IH: 'i y e a u ui o ie ei ee ea ai ey',
  IY: 'e ee ea i ie y ey ei eo ay oe ae ii',
  OW: 'o oa ow oe ough ou au eau ew oh',
  OY: 'oi oy',
  UH: 'oo u ou o eu',
  UW: 'u oo ew ue ou o ui eu ough eau ioux wo ieu iew oe',
  B: 'b bb',
  CH: 'ch tch t c cz tsch',
  D: 'd dd ed ld',
  DH: 'th',
  F: 'f ff ph gh lf',
  G: 'g gg gh gu x gue',
  HH: 'h wh',
  JH: 'j g dg d gg dj',
  K: 'k c ck ch cc q x kh que kk cq cch lk qu',
  L: 'l ll',
  M: 'm mm mb mn lm',
  N: 'n nn kn gn pn mn',
  NG: 'ng n',
  P: 'p pp',
  R: 'r rr rh wr rrh',
  S: 's ss c sc ps z x st sch tz',
  SH: 'sh ti ci ssi si s ch sci ce c t sch ss x',
  T: 't tt ed th d pt bt ght',
  TH: 'th',
  V: 'v f vv w lv',
  W: 'w wh u o',
  Y: 'y i u j e',
  Z: 'z s zz x ss cz',
  ZH: 's si z g ge ti zi j',
};
const SPELLED = Object.fromEntries(Object.entries(SPELLINGS).map(([phone, list]) => [phone, new Set(list.split(' '))]));
const VOWEL_LETTERS = /^[aeiouy]+$/;
const LONGEST = 4;

export const isVowel = (phone) => /^[AEIOU]/.test(phone);
export const base = (phone) => phone.replace(/\d/, '');

function matchCost(phone, letters) {
  const name = base(phone);
  if (SPELLED[name].has(letters)) return 0;
  if (isVowel(phone) && VOWEL_LETTERS.test(letters) && letters.length <= 2) return 1.5;
  return letters.length === 1 ? 2.5 : Infinity;
}

// What it costs to have no letter: glides (music), the S of x, the vowel of -le and -sm.
function unspelledCost(phone, next, letterBefore) {
  const name = base(phone);
  if ((name === 'S' || name === 'Z') && letterBefore === 'x') return 0.2;
  if (name === 'Y' || name === 'W') return 0.6;
  if (name === 'AH' && /^[LMN]$/.test(next ?? '')) return 1.3;
  return 3;
}

function silentCost(word, i) {
  if (word[i] === 'e') return i === word.length - 1 ? 0.2 : 0.7;
  if (word[i] === 'h' || word.slice(i, i + 2) === 'gh') return 0.5;
  return 1.2;
}

// For each phone the letters it is spelled with, '' if none.
export function align(word, phones) {
  const n = word.length;
  const m = phones.length;
  const best = Array.from({length: m + 1}, () => new Array(n + 1).fill(Infinity));
  const from = Array.from({length: m + 1}, () => new Array(n + 1).fill(null));
  best[0][0] = 0;
  const reach = (j, i, cost, step) => {
    if (cost < best[j][i]) {
      best[j][i] = cost;
      from[j][i] = step;
    }
  };
  for (let j = 0; j <= m; ++j) {
    for (let i = 0; i <= n; ++i) {
      const cost = best[j][i];
      if (cost === Infinity) continue;
      if (i < n) reach(j, i + 1, cost + silentCost(word, i), {j, i});
      if (j === m) continue;
      reach(j + 1, i, cost + unspelledCost(phones[j], phones[j + 1], word[i - 1]), {j, i});
      for (let k = 1; k <= LONGEST && i + k <= n; ++k) {
        const match = matchCost(phones[j], word.slice(i, i + k));
        if (match < Infinity) reach(j + 1, i + k, cost + match, {j, i});
      }
    }
  }
  const letters = new Array(m).fill('');
  for (let j = m, i = n; from[j][i];) {
    const step = from[j][i];
    if (step.j < j) letters[step.j] = word.slice(step.i, i);
    ({j, i} = step);
  }
  return letters;
}
