# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# User-Mode Linux. These kernels are processes of the host, so copies, checksums and TCP have the
# speed of the processor. They use the same disk and the same first process as the other guests.
# shellcheck shell=bash

# uml_crc32c: changes the kernel source in the current folder, so that CRC32C uses instructions of
# the processor (uml/crc32c.h). Does nothing for older kernels, which have no lib/crc.
uml_crc32c()
{
	[ -d lib/crc ] || return 0
	mkdir lib/crc/um
	cp "$LAB/uml/crc32c.h" lib/crc/um/crc32.h
	sed -i '/^config CRC32_ARCH$/,/^config /s/^\tdefault y if X86$/&\n\tdefault y if UML/
		/^config CRC64_ARCH$/,/^config /s/^\tdefault y if X86_64$/& \&\& !UML/
		/^config CRC_OPTIMIZATIONS$/,/^config /s/^\tdepends on !UML$/\tdepends on !UML || X86_64/' \
		lib/crc/Kconfig
	# The x86 code of CRC32 needs functions that User-Mode Linux lacks, so omit this code. The
	# x86 code of CRC32C needs return thunks, so replace them by a plain return.
	sed -i 's/^crc32-$(CONFIG_X86) += x86.*/ifndef CONFIG_UML\n&\nendif/
		s/^crc32-$(CONFIG_X86_64) += \(x86.crc32c-3way.o\)$/&\nAFLAGS_\1 += $(if $(CONFIG_UML),-DRET=ret)/' \
		lib/crc/Makefile
}

# uml_mend: changes arch/um in the kernel source in the current folder. Two changes fix bugs that
# kernels with checks report while they boot. The first bug: a secondary CPU calls kfree() before
# this CPU is online. The second bug: strerror() allocates a message while a spinlock is held. The
# message is for an error of epoll, which occurs if the console is a file. The third change is a
# patch for kernels with several CPUs. With this patch, the kernel disables interrupts without a
# system call.
uml_mend()
{
	if [ -e arch/um/os-Linux/smp.c ]; then
		sed -i '/^void os_start_secondary/,/^}/s/^\tkfree(data);$//' arch/um/os-Linux/smp.c
		patch -s -p1 <"$LAB/uml-smp/pending-ipis.patch"
	fi
	sed -i '/printk("epollctl add err/s/%s\\n", fd, strerror(errno)/%d\\n", fd, errno/' \
		arch/um/os-Linux/irq.c
}

# uml_install NEW: copies the kernel into NEW, and adds the headers of arch/x86 to lab.headers.
# kbuild omits these headers, but User-Mode Linux needs them in addition to those of arch/um.
uml_install()
{
	cp linux "$1/vmlinuz"
	tar -c --exclude='*.o' --exclude='*.cmd' arch/x86/Makefile* arch/x86/include arch/x86/um |
		tar -x -C lab.headers
}

# uml_cpus: limits RUN_CPUS, the number of CPUs that the caller has requested, to the maximum of the
# K_* kernel
uml_cpus()
{
	case $K_KIND in
	uml-smp | uml-debug | uml-module | uml-builtin) [ "$RUN_CPUS" -le 8 ] || RUN_CPUS=8 ;;
	*) RUN_CPUS=1 ;;
	esac
}

# uml_start DIR CPUS MEM_MIB: replaces this process with the kernel as guest a, which writes its
# result channel to stdout. DIR is the folder of the run; the guest sees DIR/lab. The option ubd0c
# sets no lock on the file of the disk. Other guests also read this file, and no guest writes to it.
# With a lock, QEMU would not start.
#
# A guest with one CPU runs on the last CPU that the lab may use. The guest's processes are
# processes of the host. If they could use a second, idle CPU, each system call would switch between
# the CPUs. A TCP stream between processes reaches 5,000 MiB/s on one CPU, and 1,900 MiB/s on two.
uml_start()
{
	local dir=$1 ncpus=$2 mem=$3 cpus words=()
	if [ "$ncpus" -eq 1 ]; then
		cpus=$(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status)
		taskset -pc "${cpus##*[,-]}" "$BASHPID" >/dev/null
	else
		words+=("ncpus=$ncpus")
	fi
	exec "$KERNEL_IMAGE/vmlinuz" "mem=${mem}M" "uml_dir=$dir/uml" umid=a seccomp=auto \
		"${words[@]}" \
		"ubd0c=$dir/disk,$GUEST_DISK" "ubd1r=$KERNEL_IMAGE/modules.ext4" \
		"initrd=$KERNEL_IMAGE/initramfs" con=null con0=null,fd:2 ssl=null ssl0=null,fd:1 \
		panic=-1 net.ifnames=0 log_buf_len=4M loglevel=7 ipv6.autoconf=0 \
		"lab.guest=a" "lab.patience=$PATIENCE" "lab.share=$dir/lab" lab.rnic=soft \
		</dev/null 2>"$dir/console-a"
}

# uml_cpu: sets UML_CPU to two numbers of nanoseconds, "RAN WAITED": how long the guest's CPUs ran,
# and how long they waited for a CPU of the host. If the guest has ended, UML_CPU keeps its value.
uml_cpu()
{
	local sum
	sum=$(cat "/proc/${PIDS[0]}/task"/*/schedstat 2>/dev/null |
		awk '{ ran += $1; waited += $2 } END { if (NR) printf "%.0f %.0f", ran, waited }') || :
	UML_CPU=${sum:-$UML_CPU}
}

# uml_waited BEFORE: prints how long the guest ran and waited between two calls of uml_cpu. BEFORE
# is the value of UML_CPU after the first call. If the guest waited for more than a few percent of
# the total time, other processes have used the host, and measured times have little value.
uml_waited()
{
	# shellcheck disable=SC2086
	set -- $1 $UML_CPU
	awk -v ran=$(($3 - $1)) -v waited=$(($4 - $2)) 'BEGIN {
		printf "lab: the guest ran %.1f s and waited %.1f s for a CPU of the host\n",
			ran / 1e9, waited / 1e9
	}'
}

# uml_hung BOOTS: succeeds if User-Mode Linux stopped before it ran init, and the lab may boot it
# again. BOOTS is the number of boots so far; the maximum is 3. In rare cases, User-Mode Linux with
# several CPUs hangs while it probes its disks. At that time, no code of this tree has run, unless
# the driver is built in. Therefore uml_hung fails for the kernel uml-builtin, and also if init has
# started.
uml_hung()
{
	[ "$K_KIND" != uml-builtin ] && ! grep -q 'Run /init' "$RUN_DIR/console-a" || return
	say "lab: User-Mode Linux stopped while it booted: $(tail -n 1 "$RUN_DIR/console-a")"
	[ "$1" -lt 3 ]
}
