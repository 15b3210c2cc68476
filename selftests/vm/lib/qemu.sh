# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# QEMU's command line, the check for KVM, and the TSC frequency.
# shellcheck shell=bash

declare -A QEMU_MACHINE=([arm64]='virt,gic-version=3' [s390x]=s390-ccw-virtio
	[amd64]='q35,usb=off,smbus=off,sata=off,vmport=off,graphics=off,hpet=off')
declare -A QEMU_CONSOLE=([amd64]=ttyS0 [arm64]=ttyAMA0 [s390x]=ttysclp0)

# qemu_root [RNIC]: sets QEMU_ROOT to the root with QEMU for the architecture of the K_* kernel.
# RNIC is the value of lab run --rnic, soft by default. The lab never uses the host's QEMU, because
# it may be older than 8.1. In versions before 8.1, a CPU of TCG may execute code that another CPU
# has replaced. As a result, a guest dies of "Oops: int3" when its kernel switches a static key.
# With soft, the lab uses Debian 13's QEMU. PCIe RNICs need QEMU 10.1 or later, from Debian's
# backports, because another process implements their PCI functions (vfio-user).
qemu_root()
{
	if [ "${1-soft}" != soft ]; then root newqemu; else root "${K_MACHINE:+$K_MACHINE-}qemu"; fi
	QEMU_ROOT=$ROOT
}

# qemu ARG...: replaces this process with QEMU, which sees the tree and the cache at their own
# paths. With PCIe RNICs, QEMU runs in the network namespace of their bridge.
qemu()
{
	local place=() processor=${K_CROSS-}
	processor=${processor%%-*}
	cd "$CACHE" || exit
	[ -z "${RNIC_NS[wire]-}" ] || place=(nsenter "--net=/proc/${RNIC_NS[wire]}/ns/net")
	exec "${place[@]}" unshare --mount --propagation private "$LAB/lib/enter" -t "$TREE" "$QEMU_ROOT" \
		env "TMPDIR=${TMPDIR-/tmp}" "qemu-system-${processor:-x86_64}" "$@"
}

# qemu_start DIR GUEST CPUS MEM_MIB ACCEL APPEND [DEVICE ARGUMENT...]: replaces this process with
# QEMU, which writes the guest's result channel to stdout.
#   DIR              folder of the run, in the tree or in the cache. The guest sees DIR/lab as the
#                    shared folder "lab", or DIR/$SHARE if SHARE is set.
#   GUEST            a or b
#   CPUS, MEM_MIB    number of CPUs, and size of the memory in MiB
#   ACCEL            tcg, kvm or icount; other architectures are always emulated
#   APPEND           words for the kernel's command line
#   DEVICE ARGUMENT  further arguments of QEMU
qemu_start()
{
	local dir=$1 guest=$2 cpus=$3 mem=$4 accel=$5 append=$6
	local clock='tsc=reliable no_timer_check' args=() patience=${PATIENCE-1}
	local machine=${K_MACHINE:-amd64}
	local stumble=${LAB_STUMBLE-none:0}
	shift 6
	case $accel${K_MACHINE:+-machine} in
	*-machine)
		args+=(-accel "tcg,thread=multi" -cpu max)
		clock='' ;;
	kvm)
		args+=(-accel kvm -cpu host)
		clock='' ;;
	tcg)
		args+=(-accel "tcg,thread=multi" -cpu "max,la57=off")
		clock+=" tsc_early_khz=$(tsc_khz)" ;;
	icount)
		# With ERMS, FSRM or FSRS, the kernel copies and clears memory by rep movsb and rep
		# stosb. QEMU then counts each byte as an instruction, while a real CPU takes less
		# than 0.1 cycles for a byte. So the guest's CPU does not have these features.
		args+=(-accel "tcg,thread=single" -icount "shift=0,sleep=off"
			-cpu "max,la57=off,erms=off,fsrm=off,fzrm=off,fsrs=off,fsrc=off")
		clock+=' tsc_early_khz=1000000'
		# While the guest waits for files of the host, the guest's clock runs ahead of the
		# host's. So make the time limits in the guest ten times as long.
		patience=$((patience * 10)) ;;
	esac
	local TMPDIR=$dir	# folder for the files of snapshot=on
	# For lab selftest: if LAB_STUMBLE is GUEST:N, QEMU of that guest fails N times.
	if [ "${stumble%:*}" = "$guest" ] && [ "$(stumbles "$dir")" -lt "${stumble#*:}" ]; then
		echo >>"$dir/stumbles"
		echo "qemu: Assertion \`stumble' failed." >"$dir/qemu-$guest.log"
		exit 134
	fi
	qemu -name "$guest" -machine "${QEMU_MACHINE[$machine]}" "${args[@]}" \
		-smp "$cpus" -m "$mem" \
		-nodefaults -no-user-config -display none -no-reboot \
		-kernel "$KERNEL_IMAGE/vmlinuz" -initrd "$KERNEL_IMAGE/initramfs" \
		-append "console=${QEMU_CONSOLE[$machine]} panic=-1 mitigations=off nokaslr \
random.trust_cpu=on $clock rcupdate.rcu_expedited=1 net.ifnames=0 \
log_buf_len=4M loglevel=7 ipv6.autoconf=0 lab.guest=$guest lab.patience=$patience $append" \
		-drive "file=$GUEST_DISK,format=raw,if=none,id=guest,snapshot=on" \
		-drive "file=$KERNEL_IMAGE/modules.ext4,format=raw,if=none,id=modules,readonly=on" \
		-device virtio-blk,drive=guest,serial=guest \
		-device virtio-blk,drive=modules,serial=modules \
		-fsdev "local,id=lab,path=$dir/${SHARE-lab},security_model=none" \
		-device virtio-9p,fsdev=lab,mount_tag=lab \
		-device virtio-serial -chardev file,id=result,path=/dev/stdout \
		-device virtserialport,chardev=result,name=lab.result \
		-device virtio-rng -serial "file:$dir/console-$guest" "$@" \
		</dev/null 2>"$dir/qemu-$guest.log"
}

# socket_listens PATH PID: succeeds if a process in PID's network namespace listens at the Unix
# socket PATH. The existence of the file PATH is not sufficient, because the file exists before
# listen() is called. 0x10000 is __SO_ACCEPTCON.
socket_listens()
{
	awk -v end=" $1" '$4 == "00010000" && substr($0, length($0) - length(end) + 1) == end { hit = 1 }
		END { exit !hit }' "/proc/$2/net/unix" 2>/dev/null
}

# stumbles DIR: prints how often QEMU has failed in the run of DIR because of LAB_STUMBLE
stumbles() { cat "$1/stumbles" 2>/dev/null | wc -l; }

# patience: sets PATIENCE, a factor for all time limits, according to the load of the host. PATIENCE
# is at least 3, because the load may rise later. For kernels with checks, it is four times as high,
# except under User-Mode Linux.
patience()
{
	local load
	read -r load _ </proc/loadavg
	PATIENCE=$((${load%.*} / $(nproc) + 3))
	[ "$PATIENCE" -le 8 ] || PATIENCE=8
	[ -z "$K_DEBUG" ] || [ "$K_UML" ] || PATIENCE=$((PATIENCE * 4))
}

# tsc_khz: prints the TSC frequency of the host in kHz. It is measured once for each boot of the
# host.
tsc_khz()
{
	local file
	file=$CACHE/tsc-$(key "$(cat /proc/sys/kernel/random/boot_id)")
	if [ ! -s "$file" ]; then
		with_lock tsc tsc_measure "$file"
	fi
	cat "$file"
}

# tsc_measure FILE: does nothing if another run has already written FILE. Otherwise, removes the
# files of earlier boots, and writes the TSC frequency to FILE.
tsc_measure()
{
	[ ! -s "$1" ] || return 0
	root build
	(cd "$CACHE/tmp" && cp "$LAB/lib/tsc.c" "tsc.$$.c" &&
		root_enter "$ROOT" gcc -O2 -o "tsc.$$" "tsc.$$.c" &&
		"./tsc.$$" >"tsc.$$.khz")
	find "$CACHE" -maxdepth 1 -name 'tsc-*' -delete
	mv "$CACHE/tmp/tsc.$$.khz" "$1"
	rm "$CACHE/tmp/tsc.$$" "$CACHE/tmp/tsc.$$.c"
}

# accel_choose: prints the accelerator for QEMU: kvm if a guest boots with KVM, otherwise tcg. Tries
# the boot with KVM once, and caches the result. It is not sufficient to check that /dev/kvm exists,
# because a guest may still fail to boot.
accel_choose()
{
	local file
	[ -w /dev/kvm ] || { echo tcg; return; }
	file=$CACHE/accel-$(key "$(uname -r)" "$(qemu -version)" \
		"$(grep -m1 '^model name' /proc/cpuinfo)")
	if [ ! -s "$file" ]; then
		say "lab: trying a guest on KVM (once)" >&2
		if kvm_probe; then echo kvm; else echo tcg; fi >"$file.$$"
		mv "$file.$$" "$file"
	fi
	cat "$file"
}

# kvm_probe: boots with KVM a guest that runs no tests; succeeds if the guest reports its end
kvm_probe()
{
	local dir line pid fd found=1
	dir=$(mktemp -d "$CACHE/tmp/kvm.XXXXXX")
	mkdir -p "$dir/lab/in" "$dir/lab/out"
	cp -r "$LAB/guest" "$dir/lab/in/"
	touch "$dir/lab/in/plan" "$dir/lab/in/env"
	exec {fd}< <(qemu_start "$dir" a 1 512 kvm '')
	pid=$!
	while read -r -t 20 -u "$fd" line; do
		[ "$line" != "done" ] || found=0
	done
	kill -9 "$pid" 2>/dev/null || :
	exec {fd}<&-
	rm -rf "$dir"
	return "$found"
}
