#!/usr/bin/env bash
# figures.sh FOLDER: a table of what nvcc said about the kernels (tools/record_kernel_figures.sh); fails if a kernel keeps
# registers in memory, or if nothing was recorded.
set -euo pipefail
shopt -s nullglob
files=("$1"/*.txt)
[ ${#files[@]} -gt 0 ] || { echo "no figures in $1" >&2; exit 1; }
cat "${files[@]}" | c++filt | awk '
  # _ZN7hayakoe… comes demangled: hayakoe::device::cuda::(anonymous namespace)::name<…>(…)
  /Compiling entry function/ {
    split($0, quoted, "\047"); kernel = quoted[2]; arch = quoted[4]
    gsub(/hayakoe::device::(cuda::)?/, "", kernel); gsub(/\(anonymous namespace\)::/, "", kernel)
    gsub(/_GLOBAL__N__[0-9a-zA-Z_]*::/, "", kernel); gsub(/\((Format|cuda::Format)\)/, "format ", kernel)
    sub(/^void /, "", kernel); sub(/\([^()]*\)$/, "", kernel)
  }
  /bytes stack frame/ { stack = $1; spilled = $5 + $9 }
  /Used [0-9]+ registers/ {
    match($0, /Used [0-9]+/); registers = substr($0, RSTART + 5, RLENGTH - 5)
    printf "%-8s %4d registers %6d bytes of stack %6d bytes spilled  %s\n", arch, registers, stack, spilled, kernel
    ++kernels; bad += spilled > 0
  }
  END {
    printf "%d kernels, %d with spilled registers\n", kernels, bad
    exit kernels == 0 || bad > 0
  }'
