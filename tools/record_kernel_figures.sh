#!/usr/bin/env bash
# record_kernel_figures.sh FOLDER NVCC ARGS…: runs the compiler and keeps in FOLDER what it says about each kernel's
# registers and memory; everything else that it says is passed on.
set -uo pipefail
folder=$1
shift
source=
for ((i = 1; i <= $#; ++i)); do
  if [ "${!i}" = -c ]; then
    next=$((i + 1))
    source=${!next}
  fi
done
mkdir -p "$folder"
said=$(mktemp)
trap 'rm -f "$said"' EXIT
"$@" 2>"$said"
status=$?
grep -E '^ptxas info|bytes stack frame' "$said" >"$folder/$(basename "$source").txt"
grep -vE '^ptxas info|bytes stack frame' "$said" >&2
exit $status
