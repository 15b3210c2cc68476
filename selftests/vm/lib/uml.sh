# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# User-Mode Linux: the kernel "uml" is a process of the host, so copies, checksums and TCP run at
# the speed of the processor. It boots the guests' disk with the guests' first process.
# shellcheck shell=bash

# uml_crc32c: makes the source in the current folder compute CRC32C by instructions of the
# processor, see uml/crc32c.h
uml_crc32c()
{
	mkdir lib/crc/um
	cp "$LAB/uml/crc32c.h" lib/crc/um/crc32.h
	sed -i '/^config CRC32_ARCH$/,/^config /s/^\tdefault y if X86$/&\n\tdefault y if UML/
		/^config CRC_OPTIMIZATIONS$/,/^config /s/^\tdepends on !UML$/\tdepends on !UML || X86_64/' \
		lib/crc/Kconfig
	# The one of CRC32 needs parts of x86 that UML lacks, and return thunks.
	sed -i 's/^crc32-$(CONFIG_X86) += x86.*/ifndef CONFIG_UML\n&\nendif/
		s/^crc32-$(CONFIG_X86_64) += \(x86.crc32c-3way.o\)$/&\nAFLAGS_\1 += $(if $(CONFIG_UML),-DRET=ret)/' \
		lib/crc/Makefile
}

# uml_install NEW: installs the kernel, and the headers for modules that kbuild omits, because
# they belong to two architectures
uml_install()
{
	cp linux "$1/vmlinuz"
	tar -c --exclude='*.o' --exclude='*.cmd' arch/x86/Makefile* arch/x86/include arch/x86/um |
		tar -x -C lab.headers
}

# uml_start DIR MEM_MIB: execs it as guest a, with its result channel on stdout. DIR is shared.
# ubd0c: no lock on the file of the disk, which other guests use, too, and none writes; QEMU
# would not start otherwise.
#
# Run on one CPU, the last available one: the guest's processes are processes of the host, and
# with another idle CPU each of their system calls would move between the two. A TCP stream
# between processes reaches 5,000 MiB/s on one CPU and 1,900 on two.
uml_start()
{
	local dir=$1 mem=$2 cpus
	cpus=$(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status)
	taskset -pc "${cpus##*[,-]}" "$BASHPID" >/dev/null
	exec "$KERNEL_IMAGE/vmlinuz" "mem=${mem}M" "uml_dir=$dir/uml" umid=a seccomp=auto \
		"ubd0c=$dir/disk,$GUEST_DISK" "ubd1r=$KERNEL_IMAGE/modules.ext4" \
		"initrd=$KERNEL_IMAGE/initramfs" con=null con0=null,fd:2 ssl=null ssl0=null,fd:1 \
		panic=-1 net.ifnames=0 loglevel=7 ipv6.autoconf=0 \
		"lab.guest=a" "lab.patience=$PATIENCE" "lab.share=$dir/lab" lab.rnic=soft \
		</dev/null 2>"$dir/console-a"
}

# uml_cpu: sets UML_CPU to the nanoseconds that the guest's CPU ran, and that it waited for a CPU
# of the host; for a guest that has ended, to the last known values
uml_cpu()
{
	local ran waited _
	{ read -r ran waited _ <"/proc/${PIDS[0]}/schedstat"; } 2>/dev/null || return 0
	UML_CPU="$ran $waited"
}

# uml_waited RAN WAITED: load of other processes on the host since then; above a few percent,
# times have little value
uml_waited()
{
	# shellcheck disable=SC2086
	set -- $1 $UML_CPU
	awk -v ran=$(($3 - $1)) -v waited=$(($4 - $2)) 'BEGIN {
		printf "lab: the guest ran %.1f s and waited %.1f s for a CPU of the host\n",
			ran / 1e9, waited / 1e9
	}'
}
