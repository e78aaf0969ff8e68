#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Brings ONNX Runtime into build/onnxruntime (include/ and lib/), and nothing anywhere else: the shared library out of the
# npm package onnxruntime-node, the headers out of Debian's package libonnxruntime-dev. Debian 12 has neither, so the
# headers come from a later release on the mirror that this machine's apt uses; ONNX Runtime takes headers that are older
# than the library. Quick when all is there.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

NPM_PACKAGE=onnxruntime-node@1.30.0
NPM_SHA512=b7086cd42d82fc1164cf5c9ce4e634288536194aba0d444eee10f86f1e50d90cb79c0309c115d6f31537355733136f5503d96894b3987a9a03f1f8d318e7c8ab
HEADER_PACKAGE=libonnxruntime-dev
LATER_RELEASES=(trixie forky sid)
FOLDER=build/onnxruntime

fail() {
  echo "setup_onnxruntime: $*" >&2
  exit 1
}

is_there() {
  [ "$(cat "$FOLDER/package" 2>/dev/null)" = "$NPM_PACKAGE $(uname -m)" ] &&
    [ -s "$FOLDER/lib/libonnxruntime.so.1" ] && [ -s "$FOLDER/include/onnxruntime_cxx_api.h" ]
}

# The library's folder in the npm package.
npm_folder() {
  case "$(uname -s) $(uname -m)" in
    "Linux x86_64") echo package/bin/napi-v6/linux/x64 ;;
    "Linux aarch64") echo package/bin/napi-v6/linux/arm64 ;;
    *) fail "the npm package has no library for $(uname -s) on $(uname -m); install ONNX Runtime yourself" ;;
  esac
}

fetch_library() {  # SCRATCH
  local folder
  folder=$(npm_folder)
  command -v npm >/dev/null || fail "needs npm: apt-get install npm"
  # Packing runs none of the package's scripts, which would fetch the GPU libraries.
  local archive
  archive=$1/$(npm pack --silent --pack-destination "$1" "$NPM_PACKAGE") || fail "npm cannot fetch $NPM_PACKAGE"
  echo "$NPM_SHA512  $archive" | sha512sum --check --status || fail "$NPM_PACKAGE has not the expected SHA-512"
  tar -xzf "$archive" -C "$1" "$folder/libonnxruntime.so.1"
  mv "$1/$folder/libonnxruntime.so.1" "$1/out/lib/"
}

# The Debian mirror that apt is configured with.
debian_mirror() {
  local codename
  codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
  apt-get indextargets --format '$(CREATED_BY) $(ORIGIN) $(CODENAME) $(COMPONENT) $(REPO_URI)' |
    awk -v codename="$codename" '$1 == "Packages" && $2 == "Debian" && $3 == codename && $4 == "main" { print $5; exit }'
}

# apt with sources and state of its own, so that the system's stay as they are.
scratch_apt() {  # SCRATCH ARG…
  local scratch=$1
  shift
  apt-get -q -o Dir::Etc::SourceList="$scratch/sources.list" -o Dir::Etc::SourceParts=- -o Dir::State="$scratch/state" \
    -o Dir::State::status=/dev/null -o Dir::Cache="$scratch/cache" -o APT::Sandbox::User= \
    -o Acquire::Languages=none "$@"
}

download_headers() {  # SCRATCH
  cd "$1"
  # A system whose own release has the package needs no other.
  if apt-cache show "$HEADER_PACKAGE" >/dev/null 2>&1 && apt-get -q download "$HEADER_PACKAGE" >&2; then return 0; fi
  local mirror release
  mirror=$(debian_mirror)
  [ -n "$mirror" ] || fail "apt knows no Debian mirror here (after apt-get update); install ONNX Runtime's headers yourself"
  mkdir -p state/lists/partial cache/archives/partial
  for release in "${LATER_RELEASES[@]}"; do
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $release main" >sources.list
    if scratch_apt "$1" update >&2 && scratch_apt "$1" download "$HEADER_PACKAGE" >&2; then return 0; fi
  done
  fail "$HEADER_PACKAGE is in none of ${LATER_RELEASES[*]} on $mirror"
}

fetch_headers() {  # SCRATCH
  command -v apt-get >/dev/null || fail "this is not Debian or Ubuntu; install ONNX Runtime and its headers yourself"
  (download_headers "$1")
  dpkg-deb -x "$1"/"$HEADER_PACKAGE"_*.deb "$1/headers"
  local header
  header=$(find "$1/headers" -name onnxruntime_cxx_api.h -print -quit)
  [ -n "$header" ] || fail "$HEADER_PACKAGE holds no onnxruntime_cxx_api.h"
  cp "$(dirname "$header")"/*.h "$1/out/include/"
}

is_there && exit 0
mkdir -p build
scratch=$(mktemp -d "$PWD/build/onnxruntime-setup-XXXXXX")
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$scratch/out/include" "$scratch/out/lib"
fetch_library "$scratch"
fetch_headers "$scratch"
echo "$NPM_PACKAGE $(uname -m)" >"$scratch/out/package"
rm -rf "$FOLDER"
mv "$scratch/out" "$FOLDER"
echo "setup_onnxruntime: $NPM_PACKAGE and its headers are in $FOLDER" >&2
