#!/usr/bin/env bash
# gpu_check.sh BUILD [MODELS]: the tests on a real GPU, then its figures, from a build of the program, the CUDA plug-in
# and the tests. MODELS is a folder for full-size models with random weights, made when they are not there.
set -euo pipefail
build=$(cd "$1" && pwd)
models=${2:-$build/gpu-check}
hayakoe=$build/hayakoe
export HAYAKOE_CUDA_PLUGIN=$build/libhayakoe_cuda.so HAYAKOE_TEST_DEVICE=cuda

heading() { printf '\n== %s ==\n' "$*"; }

heading "the GPU"
nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader || true

heading "tests"
failed=0
for test in device/device_test model/model_test engine/engine_test engine/gpu_test; do
  "$build/tests/$test" --gtest_brief=1 || failed=1
done

[ -f "$models/bert-large/config.json" ] || "$hayakoe" make-model --kind bert-large --seed 1 --out "$models/bert-large"
[ -f "$models/voice-full/config.json" ] || "$hayakoe" make-model --kind voice-full --seed 1 --out "$models/voice-full"
bench() { "$hayakoe" bench "$@" --device cuda --voice "$models/voice-full" --bert "$models/bert-large"; }

for precision in f16 f32; do
  heading "sentences one by one and batched, $precision"
  bench batch --precision $precision
done
heading "stages, f16"
bench stages
heading "first sound, f16"
bench latency
heading "memory, f16"
bench memory

[ "$failed" -eq 0 ] || { echo "tests failed on the GPU" >&2; exit 1; }
