#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs a program on an emulated processor with AVX-512, so that a machine without can test the kernels for it. Not a
# part of ./run or of the checks: for a developer, after a change to src/device/cpu/kernels.
#
#   tools/emulate_avx512.sh [-f PATH]... PROGRAM [ARGUMENT...]
#
#   -f PATH  a file or folder that the program reads; it has the same absolute path there
#
#   tools/emulate_avx512.sh -f tests/data/unit build/dev/tests/device/device_test --gtest_filter='*AVX3:Precision/*'
#
# Bochs boots a Linux with one core in one to three minutes and runs some 30 million instructions a second, a hundredth
# of what a processor does: filter the tests. The times that it shows are instructions / 3.5e9, and say nothing about
# speed. The exit status is the program's.
#
# Needs Bochs 2.7 with its debugger, as Debian has it, and Debian's linux-image-cloud-amd64, busybox-static, isolinux,
# syslinux-common and xorriso with its libraries, installed or unpacked (dpkg-deb -x) in the folder $ROOT.
set -euo pipefail
die() { echo "$0: $*" >&2; exit 2; }
files=()
while getopts f: option; do
  [[ $option == f ]] || exit 2
  files+=("$OPTARG")
done
shift $((OPTIND - 1))
[[ $# -gt 0 ]] || die "a program to run is required"
program=$(realpath "$1")
shift
root=${ROOT:-}
kernel=$(find "$root/boot" -name 'vmlinuz-*' | sort -V | tail -1)
[[ -n $kernel ]] || die "no kernel in $root/boot"

work=$(mktemp -d)
trap 'kill $(jobs -p) || true; rm -rf "$work"' EXIT
mkdir -p "$work"/fs/{bin,proc,dev,tmp} "$work/iso"
cp "$root/bin/busybox" "$work/fs/bin/"
ln -s busybox "$work/fs/bin/sh"
mapfile -t libraries < <(ldd "$program" | grep -o '/[^ ]*')
for file in "$program" "${libraries[@]}" "${files[@]}"; do
  at=$work/fs$(realpath -s "$file")
  mkdir -p "${at%/*}"
  cp -rLT "$file" "$at"
done
cat >"$work/fs/init" <<END
#!/bin/sh
busybox mount -t proc proc /proc
busybox mount -t devtmpfs dev /dev
exec >/dev/ttyS0 2>&1
busybox grep -q avx512vl /proc/cpuinfo || echo 'This processor has no AVX-512.'
cd /tmp
$(printf '%q ' "$program" "$@")
echo "status=\$?"
busybox sleep 1
busybox poweroff -f
END
chmod +x "$work/fs/init"
(cd "$work/fs" && find . | "$root/bin/busybox" cpio -o -H newc 2>/dev/null) >"$work/iso/initrd"
cp "$kernel" "$work/iso/linux"
cp "$root/usr/lib/ISOLINUX/isolinux.bin" "$root/usr/lib/syslinux/modules/bios/ldlinux.c32" "$work/iso/"
# Linux would give up AVX for what Bochs says about the features that are cleared here. Bochs' newer processors, which
# have Highway's AVX3_DL, did not come through the boot.
echo "default /linux initrd=/initrd console=ttyS0 quiet mitigations=off clearcpuid=xsavec,xsaves" \
  >"$work/iso/isolinux.cfg"
LD_LIBRARY_PATH="$root/usr/lib/x86_64-linux-gnu" PATH="$root/usr/bin:$PATH" xorriso -as mkisofs -quiet \
  -o "$work/iso.img" -b isolinux.bin -c boot.cat -no-emul-boot -boot-load-size 4 -boot-info-table "$work/iso" \
  2>"$work/xorriso" || die "$(<"$work/xorriso")"
cat >"$work/bochsrc" <<END
display_library: rfb, options="timeout=0"
romimage: file=/usr/share/bochs/BIOS-bochs-latest
vgaromimage: file=/usr/share/bochs/VGABIOS-lgpl-latest
memory: guest=1536, host=1536
cpu: model=corei7_skylake_x, ips=100000000
ata0-master: type=cdrom, path=$work/iso.img, status=inserted
boot: cdrom
com1: enabled=1, mode=file, dev=$work/serial
sound: waveoutdrv=dummy, waveindrv=dummy, midioutdrv=dummy
speaker: enabled=0
log: $work/log
panic: action=fatal
END
echo c >"$work/continue"
touch "$work/serial"
tail -f "$work/serial" &
# It takes it for an error when the machine is turned off.
nice bochs -q -rc "$work/continue" -f "$work/bochsrc" </dev/null >"$work/out" 2>&1 || true
sleep 1
status=$(grep -a -o '^status=[0-9]*' "$work/serial" | tail -1) || die "the machine stopped early: $(tail -5 "$work/out")"
exit "${status#status=}"
