// SPDX-License-Identifier: Apache-2.0
// Packs the tiny ONNX models for tests/data: node pack_models.mjs FOLDER OUT. FOLDER has the models as they were exported
// (bert/bert.onnx, voice/*.onnx, voice-tiny.aivmx), OUT gets models.tar.xz and SHA256SUMS.
// The models carry weights that tests/data has already, so of each only the bytes between them are kept, with a list of
// the pieces; unpack_models.cpp puts the file together again, byte by byte.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const [folder, out] = process.argv.slice(2);
const data = path.join(import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname), '..', 'data');
const kModels = [
  ['bert/bert.onnx', 'bert-tiny/model.safetensors'],
  ['voice/synthesizer.onnx', 'voice-tiny/model.safetensors'],
  ['voice/duration_predictor.onnx', 'voice-tiny/model.safetensors'],
  ['voice-tiny.aivmx', 'voice-tiny/model.safetensors'],
];
const kShortest = 256; // bytes; a piece costs about 60 in the list

function transposed(bytes, rows, cols) {
  const turned = Buffer.alloc(bytes.length);
  for (let r = 0; r < rows; ++r)
    for (let c = 0; c < cols; ++c) bytes.copy(turned, 4 * (c * rows + r), 4 * (r * cols + c), 4 * (r * cols + c) + 4);
  return turned;
}

// Every tensor of a safetensors file, as it stands and with its first axis last.
function pieces(file) {
  const bytes = fs.readFileSync(file);
  const header = Number(bytes.readBigUInt64LE(0));
  const all = [];
  for (const [name, t] of Object.entries(JSON.parse(bytes.toString('utf8', 8, 8 + header)))) {
    if (name === '__metadata__' || t.dtype !== 'F32') continue;
    const offset = 8 + header + t.data_offsets[0];
    const size = t.data_offsets[1] - t.data_offsets[0];
    if (size < kShortest) continue;
    const rows = t.shape[0];
    const cols = size / 4 / rows;
    const tensor = bytes.subarray(offset, offset + size);
    all.push({ offset, rows, cols, turn: 0, bytes: tensor });
    if (rows > 1 && cols > 1) all.push({ offset, rows, cols, turn: 1, bytes: transposed(tensor, rows, cols) });
  }
  return all.sort((a, b) => b.bytes.length - a.bytes.length);
}

function pack(model, source) {
  const bytes = fs.readFileSync(path.join(folder, model));
  const taken = new Uint8Array(bytes.length);
  const found = [];
  for (const piece of pieces(path.join(data, source))) {
    for (let at = bytes.indexOf(piece.bytes); at >= 0; at = bytes.indexOf(piece.bytes, at + 1)) {
      if (taken[at] || taken[at + piece.bytes.length - 1]) continue;
      taken.fill(1, at, at + piece.bytes.length);
      found.push({ at, ...piece });
    }
  }
  found.sort((a, b) => a.at - b.at);
  const list = [`source ${source}`];
  const rest = [];
  let done = 0;
  const keep = (end) => {
    if (end === done) return;
    list.push(`keep ${end - done}`);
    rest.push(bytes.subarray(done, end));
  };
  for (const f of found) {
    keep(f.at);
    list.push(`${f.turn ? 'turn' : 'copy'} ${f.offset} ${f.rows} ${f.cols}`);
    done = f.at + f.bytes.length;
  }
  keep(bytes.length);
  return { list: list.join('\n') + '\n', rest: Buffer.concat(rest), hash: createHash('sha256').update(bytes).digest('hex') };
}

const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'pack-models-'));
let sums = '';
for (const [model, source] of kModels) {
  const { list, rest, hash } = pack(model, source);
  fs.mkdirSync(path.join(scratch, path.dirname(model)), { recursive: true });
  fs.writeFileSync(path.join(scratch, model + '.list'), list);
  fs.writeFileSync(path.join(scratch, model + '.rest'), rest);
  sums += `${hash}  ${model}\n`;
}
fs.writeFileSync(path.join(out, 'SHA256SUMS'), sums);
const names = fs.readdirSync(scratch).sort();
execFileSync('tar', ['--sort=name', '--owner=0', '--group=0', '--mtime=@0', '-C', scratch, '-cJf', path.resolve(out, 'models.tar.xz'), ...names],
             { env: { ...process.env, XZ_OPT: '-9e' } });
fs.rmSync(scratch, { recursive: true });
