# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# lab run: plans the tests, boots the guests, and reads the results as they arrive.
# shellcheck shell=bash

BOOT_LIMIT=120	# max seconds from the start of QEMU to the first result line

run_usage()
{
	cat <<-END
	usage: lab run [-k KERNEL] [--pair] [--once] [--cpus N] [--mem MIB] [--icount]
	               [--accel tcg|kvm] [--timeout S] [--group G] [--show] [--profile | --sharing]
	               [--rnic soft|pci|mixed] [--iommu] [--swiotlb] [--rnic-arg ARG]
	               [--disk guest|programs|systemd|systemd12] [--peer arm64|s390x] [--patched]
	               [--beside NAME] [TEST...]
	Without TEST: all tests that declare the kernel and are in group G; without --group,
	those that are in no group. TEST is NAME or NAME:TOPOLOGY; NAME may be the path of any
	test file. It is an error if a TEST does not declare the kernel or the options, or if
	no test is left.
	  --pair          two guests, and the tests that declare the topology pair; otherwise
	                  one guest and the other topologies
	  --once          each test only in the topology that it declares first
	  --show          print the output of the tests as it arrives
	  --rnic pci      the RNICs are PCIe functions, each an xiw-rnic process
	  --rnic mixed    only the RNIC of side a is a PCIe function
	  --rnic-arg ARG  pass ARG to each xiw-rnic; a:ARG and b:ARG: only to that of one side
	  --iommu         an IOMMU in strict mode
	  --swiotlb       bounce buffers for all DMA
	  --disk programs guests with more of Debian's programs, and the tests that declare
	                  this disk
	  --disk systemd  guest b has systemd as init and may reboot; the tests that declare
	                  this disk
	  --disk systemd12
	                  as systemd, with Debian 12 instead of Debian 13
	  --profile       as --icount, and QEMU counts the instructions of each function
	                  between two marks (test "profile")
	  --sharing       QEMU counts the stores to cache lines that several CPUs write,
	                  between two marks (test "sharing")
	  --peer ARCHITECTURE
	                  with --pair: guest b is a machine of this architecture
	  --patched       iw_cm and rdma_ucm have the patches of docs/upstream
	  --beside NAME   use a folder whose name ends in NAME, and so do not wait for other
	                  runs of the kernel
	END
}

# test_header FILE FIELD: prints the value of the line "# FIELD: value" in the header of the test
# FILE, or nothing if there is no such line
test_header() { sed -n "/^[^#]/q; s/^# $2: *//p" "$1" | head -n 1; }

# plan_not FILE FIELD: succeeds if the header of the test FILE has the field FIELD, "not-debug" or
# "not-uml". Prints the value of the field to stderr: the reason why the test does not run on the
# selected kernel.
plan_not()
{
	local name=${1##*/} why
	why=$(test_header "$1" "$2")
	[ "$why" ] || return
	say "lab: ${name%.sh}: not on $K_KIND: $why" >&2
}

# plan_narrow FILE: succeeds if the test FILE needs more CPUs than the guest has, and prints both
# numbers to stderr
plan_narrow()
{
	local name=${1##*/} cpus
	cpus=$(test_header "$1" cpus)
	[ "${cpus:-1}" -gt "$RUN_CPUS" ] || return
	say "lab: ${name%.sh}: needs $cpus CPUs, the guest has $RUN_CPUS" >&2
}

# plan_make DIR TEST...: writes a line "NAME TOPOLOGY SECONDS" to DIR/plan for each test to run.
# run_usage() describes TEST. Without TEST, the function selects among the tests of the group
# RUN_GROUP.
plan_make()
{
	local dir=$1 want name only file topology topologies kernels disk
	shift
	if [ "$#" -eq 0 ]; then
		for file in "$LAB"/tests/*.sh; do
			[ "$(test_header "$file" group)" = "$RUN_GROUP" ] || continue
			name=${file##*/} name=${name%.sh}
			[ -z "$K_DEBUG" ] || ! plan_not "$file" not-debug || continue
			set -- "$@" "$name"
		done
	fi
	for want in "$@"; do
		name=${want%%:*} only=
		[ "$want" = "$name" ] || only=${want#*:}
		file=$LAB/tests/$name.sh
		if [[ $name == */* ]]; then
			file=$name name=$(basename "$name" .sh)
			mkdir -p "$dir/tests"
			cp "$file" "$dir/tests/$name.sh"
		fi
		[ -e "$file" ] || die "no test '$name'; there are: $(cd "$LAB/tests" && echo *.sh)"
		kernels=" $(test_header "$file" kernels) "
		case $kernels in
		*" all "* | *" $K_ROLE "* | *" $K_SERIES "* | *" ${K_KIND:-none} "*) ;;
		*) continue ;;
		esac
		[ -z "$K_UML" ] || ! plan_not "$file" not-uml || continue
		! plan_narrow "$file" || continue
		disk=$(test_header "$file" disk)
		[ "${disk:-guest}" = "$RUN_DISK" ] || continue
		case " $(test_header "$file" rnic) " in
		"  " | *" $RUN_RNIC "*) ;;
		*) continue ;;
		esac
		topologies=$(test_header "$file" topology)
		[ -z "$RUN_ONCE" ] || topologies=${topologies%% *}
		for topology in $topologies; do
			[ -z "$only" ] || [ "$only" = "$topology" ] || continue
			if [ "$topology" = pair ]; then [ "$RUN_PAIR" ]; else [ -z "$RUN_PAIR" ]; fi ||
				continue
			echo "$name $topology ${RUN_TIMEOUT:-$(test_header "$file" timeout)}"
		done
	done >"$dir/plan"
}

# plan_missing PLAN TEST...: prints each TEST that has no line in the file PLAN, one on each line
plan_missing()
{
	local plan=$1 want name
	shift
	for want in "$@"; do
		name=$(basename "${want%%:*}" .sh)
		want=${want#"${want%%:*}"}
		grep -q "^$name ${want#:}" "$plan" || say "$name$want"
	done
}

# stage DIR: copies into DIR the files that the guest uses, so that an edit in the tree does not
# disturb the run
stage()
{
	local dir=$1 from file programs=$TREE/build/guest
	[ -z "$K_MACHINE" ] || programs=$TREE/build/machines/$K_MACHINE/guest
	mkdir -p "$dir"/{in/modules,in/utils,out}
	cp -r "$LAB/guest" "$LAB/tests" "$dir/in/"
	# Copy the scenarios of xiw-peer, and the frames that they use.
	mkdir -p "$dir/in/conformance"
	cp -r "$TREE"/selftests/conformance/scenarios "$dir/in/conformance/"
	cp -r "$TREE"/selftests/vectors "$dir/in/"
	cp -r "$TREE"/utils/bpftrace "$TREE"/selftests/rdma-core "$dir/in/"
	mkdir "$dir/in/docs" && cp "$TREE"/docs/*.md "$dir/in/docs/"
	# Copy the caller's variables that are options of tests, such as XIW_TEST_TYPE=rxe.
	for file in "${!XIW_TEST_@}"; do
		declare -p "$file"
	done >"$dir/in/env"
	origin >>"$dir/in/env"
	for from in "$TREE/build/kernel/$K_RELEASE"/{driver,selftests/kmod} "${SIW[@]}" "$ULPS"; do
		for file in "$from"/*.ko; do
			[ ! -e "$file" ] || cp "$file" "$dir/in/modules/"
		done
	done
	for file in "${!VARIANT_FLAGS[@]}"; do
		[ -e "$TREE/build/kernel/$K_RELEASE/$file/driver/xiw.ko" ] || continue
		mkdir "$dir/in/modules/$file"
		cp "$TREE/build/kernel/$K_RELEASE/$file/driver/xiw.ko" "$dir/in/modules/$file/"
	done
	for file in driver/xiw.ko selftests/kmod/xiw_test.ko; do
		older_than_sources "$TREE/build/kernel/$K_RELEASE/$file" "$TREE/${file%/*}" "$TREE/uapi" ||
			continue
		warn "sources are newer than ${file##*/} (lab build $K_SERIES)"
	done
	# Remove debug sections, because they are most of a module and take time to read. Write the
	# dependencies of each module to a file, because modinfo is slower in the guest. Do both in
	# the build root, which has tools for the architecture of the modules.
	if compgen -G "$dir/in/modules/*.ko" >/dev/null; then
		root "$K_ROOT"
		root_enter "$ROOT" find "$dir/in/modules" -name 'xiw*.ko' -exec \
			"${K_CROSS}strip" --strip-debug {} +
		# shellcheck disable=SC2016 # the shell in the root expands it
		root_enter "$ROOT" find "$dir/in/modules" -name '*.ko' -exec \
			sh -c 'for ko; do modinfo -F depends "$ko" >"${ko%.ko}.depends"; done' - {} +
	fi
	# Copy programs that were built in the lab's Debian 13. Programs that were built on the host
	# may not run in the guest.
	[ ! -d "$programs" ] ||
		find "$programs" -name CMakeFiles -prune -o -type f -perm -u+x \
			! -name '*.*' -exec cp -t "$dir/in/utils" {} +
	[ ! -d "$INSTALLED" ] || cp -a "$INSTALLED" "$dir/in/install"
	[ -z "$PATCHED" ] || cp -a "$PATCHED" "$dir/in/patched"
	if [ -d "$NEXT_VERBS" ]; then
		mkdir "$dir/in/next-verbs"
		cp "$NEXT_VERBS"/lib/*.so.1 "$NEXT_VERBS"/build/*.so.1 "$dir/in/next-verbs/"
	fi
	for file in "$programs"/utils/libxiwdv.so.*.*; do
		[ ! -e "$file" ] || cp "$file" "$dir/in/utils/"
	done
}

# origin: prints shell commands that set LAB_COMMIT, LAB_DATE, LAB_CPU, LAB_QEMU and LAB_COMMAND.
# These describe where the figures of this run come from.
origin()
{
	local LAB_COMMIT LAB_DATE LAB_CPU LAB_QEMU LAB_COMMAND='' name
	LAB_COMMIT=$(git -C "$TREE" describe --always --dirty --abbrev=12 2>/dev/null || :)
	LAB_DATE=$(date -u +%FT%TZ)
	LAB_CPU=$(sed -n 's/^model name[[:space:]]*: //p' /proc/cpuinfo | head -n 1)
	LAB_QEMU=none
	[ "$RUN_ACCEL" = uml ] || LAB_QEMU=$(qemu --version | sed -n 's/^QEMU emulator version //p')
	for name in "${!XIW_TEST_@}"; do
		LAB_COMMAND+="$name=${!name@Q} "
	done
	LAB_COMMAND+="selftests/vm/lab run ${RUN_ARGUMENTS[*]}"
	declare -p LAB_COMMIT LAB_DATE LAB_CPU LAB_QEMU LAB_COMMAND |
		sed 's/^declare --/declare -x/'
}

# older_than_sources FILE DIR...: succeeds if FILE exists, and a C source or header in one of the
# DIRs is newer than FILE
older_than_sources()
{
	[ -e "$1" ] && [ -n "$(find "${@:2}" -name '*.[ch]' -newer "$1" -print -quit)" ]
}

# plan_memory DIR: sets RUN_MEM, the memory of a guest in MiB, to the maximum that tests of DIR/plan
# request, or to the default if the default is larger
plan_memory()
{
	local name rest file most
	# Kernels with checks get more memory, because most of them have KASAN, which needs shadow
	# memory.
	RUN_MEM=$((K_DEBUG ? 2048 : 1024))
	while read -r name rest; do
		file=$1/tests/$name.sh
		[ -e "$file" ] || file=$LAB/tests/$name.sh
		most=$(test_header "$file" memory)
		[ "${most:-0}" -le "$RUN_MEM" ] || RUN_MEM=$most
	done <"$1/plan"
}

# needs PLAN WORD: succeeds if the script of a test in the file PLAN matches the regular expression
# WORD
needs()
{
	local name rest
	while read -r name rest; do
		! grep -qs "$2" "$LAB/tests/$name.sh" "${1%/*}/tests/$name.sh" || return 0
	done <"$1"
	return 1
}

# run_tests ARG...: runs tests as "lab run ARG..."; succeeds if no test fails
run_tests()
{
	local kernel=stable missing
	RUN_ARGUMENTS=("$@")
	RUN_PAIR='' RUN_ONCE='' RUN_CPUS='' RUN_MEM='' RUN_ACCEL='' RUN_TIMEOUT='' RUN_GROUP='' RUN_SHOW='' SIW=()
	ULPS=/nonexistent
	NEXT_VERBS=/nonexistent INSTALLED=/nonexistent PATCHED=''
	RUN_DISK=guest RUN_RNIC=soft RUN_IOMMU='' RUN_SWIOTLB='' RUN_PROFILE='' RNIC_ARGS=()
	RUN_BESIDE='' RUN_PEER=''
	while [ "$#" -gt 0 ]; do
		case $1 in
		-k) kernel=$2; shift ;;
		--pair) RUN_PAIR=1 ;;
		--once) RUN_ONCE=1 ;;
		--cpus) RUN_CPUS=$2; shift ;;
		--mem) RUN_MEM=$2; shift ;;
		--icount) RUN_ACCEL=icount ;;
		--profile) RUN_ACCEL=icount RUN_PROFILE=instructions ;;
		--sharing) RUN_ACCEL=tcg RUN_PROFILE=sharing ;;
		--accel) RUN_ACCEL=$2; shift ;;
		--group) RUN_GROUP=$2; shift ;;
		--show) RUN_SHOW=1 ;;
		--timeout) RUN_TIMEOUT=$2; shift ;;
		--rnic) RUN_RNIC=$2; shift ;;
		--disk) RUN_DISK=$2; shift ;;
		--rnic-arg) RNIC_ARGS+=("$2"); shift ;;
		--iommu) RUN_IOMMU=1 ;;
		--swiotlb) RUN_SWIOTLB=1 ;;
		--patched) PATCHED=wanted ;;
		--beside) RUN_BESIDE=$2; shift ;;
		--peer) RUN_PEER=$2; shift ;;
		-*) run_usage >&2; exit 2 ;;
		*) break ;;
		esac
		shift
	done
	case $RUN_RNIC in
	soft | pci | mixed) ;;
	*) run_usage >&2; exit 2 ;;
	esac
	case $RUN_DISK in
	guest | programs | systemd | systemd12) ;;
	*) run_usage >&2; exit 2 ;;
	esac
	[ -z "$RUN_PEER" ] || [ "$RUN_PAIR$RUN_RNIC$RUN_DISK" = 1softguest ] ||
		die "--peer needs --pair, and no other RNIC or disk"
	kernel "$kernel"
	# KCSAN detects races only on several CPUs.
	RUN_CPUS=${RUN_CPUS:-$([ "$K_KIND" = kcsan ] && echo 4 || echo 2)}
	if [ "$K_UML" ]; then
		[ "$RUN_RNIC$RUN_PAIR$RUN_ACCEL$RUN_IOMMU$RUN_SWIOTLB" = soft ] ||
			die "$K_KIND is one process: no pair, no accelerator, no RNIC on a bus"
		RUN_ACCEL=uml
		uml_cpus
	else
		if [ "$K_MACHINE" ]; then
			[ "$RUN_RNIC$RUN_ACCEL$RUN_IOMMU$RUN_SWIOTLB" = soft ] ||
				die "$K_MACHINE is emulated: no accelerator, no RNIC on a bus"
			RUN_ACCEL=tcg
		fi
		# With instruction counting, QEMU runs several CPUs in turn and adds their
		# instructions. So use one CPU.
		[ "$RUN_ACCEL" != icount ] || RUN_CPUS=1
		qemu_root "$RUN_RNIC"
	fi
	[ -z "$RUN_PROFILE" ] || profile_build "$RUN_PROFILE"
	rnic_prepare
	guest_disk "$RUN_DISK"
	kernel_image
	RUN_DIR=$TREE/build/vm/$K_SERIES${K_FLAVOUR:+-$K_FLAVOUR}${K_KIND:+-$K_KIND}
	RUN_DIR+=${K_MACHINE:+-$K_MACHINE}${RUN_PAIR:+-pair}
	[ "$RUN_RNIC" = soft ] || RUN_DIR+=-$RUN_RNIC
	[ "$RUN_DISK" = guest ] || RUN_DIR+=-$RUN_DISK
	RUN_DIR+=${RUN_PEER:+-$RUN_PEER}${PATCHED:+-patched}${RUN_BESIDE:+-$RUN_BESIDE}
	rm -rf "$RUN_DIR.$$"
	mkdir -p "$RUN_DIR.$$/lab/in"
	plan_make "$RUN_DIR.$$/lab/in" "$@"
	missing=$(plan_missing "$RUN_DIR.$$/lab/in/plan" "$@")
	if [ "$missing" ] || [ ! -s "$RUN_DIR.$$/lab/in/plan" ]; then
		rm -r "$RUN_DIR.$$"
		missing=${missing:-any test${RUN_GROUP:+ of the group $RUN_GROUP}}
		die "not for $K_RELEASE, ${RUN_PAIR:+two guests, }$RUN_CPUS CPUs," \
			"RNIC $RUN_RNIC, disk $RUN_DISK: ${missing//$'\n'/, }"
	fi
	[ "$RUN_MEM" ] || plan_memory "$RUN_DIR.$$/lab/in"
	for name in siw siw_mpa1 siw_crc; do
		! needs "$RUN_DIR.$$/lab/in/plan" "\b$name\b" || SIW+=("$name")
	done
	siw_build "${SIW[@]}"
	! needs "$RUN_DIR.$$/lab/in/plan" '^# modules: ulps' || ulps_in_kernel || ulps_build
	[ -z "$PATCHED" ] || patched_build
	for name in "${!VARIANT_FLAGS[@]}"; do
		! needs "$RUN_DIR.$$/lab/in/plan" "^# variants:.*\b$name\b" ||
			modules_variant "$name"
	done
	! needs "$RUN_DIR.$$/lab/in/plan" lab/in/install || utils_install
	! needs "$RUN_DIR.$$/lab/in/plan" next-verbs || next_verbs_build
	for name in $(judge_names); do
		! needs "$RUN_DIR.$$/lab/in/plan" "lab/in/$name" ||
			judge_source "$RUN_DIR.$$/lab/in" "$name"
	done
	stage "$RUN_DIR.$$/lab"
	[ -z "$RUN_PEER" ] || (peer_stage "$RUN_DIR.$$") || exit
	RUN_ACCEL=${RUN_ACCEL:-$(accel_choose)}
	[ "$RUN_ACCEL$K_MACHINE" != tcg ] || tsc_khz >/dev/null
	patience
	# The name of the final folder contains no process ID. Each run replaces the folder of the
	# last run of its kind.
	run_alone
	rm -rf "$RUN_DIR"
	mv "$RUN_DIR.$$" "$RUN_DIR"
	guests_run
}

# peer_stage DIR: stages the files of guest b, a machine of another architecture, in DIR/peer.
# Writes the variables that qemu_start needs for guest b to DIR/peer.env. Call it in a subshell,
# because it sets K_*.
peer_stage()
{
	local SHARE=peer
	kernel "$RUN_PEER"
	qemu_root
	guest_disk
	kernel_image
	stage "$1/$SHARE"
	declare -p K_MACHINE K_CROSS QEMU_ROOT GUEST_DISK KERNEL_IMAGE SHARE >"$1/peer.env"
}

# run_alone: waits until no other run of this tree uses the folder RUN_DIR. The lock is released
# when this process ends.
run_alone()
{
	local fd
	exec {fd}>"$RUN_DIR.lock"
	flock -n "$fd" && return
	say "lab: waiting for another run (${RUN_DIR##*/})"
	flock "$fd"
}

# guests_run: boots the guests, and prints the results of the tests; succeeds if no test has failed
guests_run()
{
	local line name topology limit rest started
	local passed=0 failed=0 skipped=0 done_well=() current='' why='' finished='' patience
	local clock0='' host0='' clock1='' host1='' rc slow=1 cpu='' UML_CPU=''
	# With instruction counting, the guest's clock is slower than the host's.
	[ "$RUN_ACCEL" != icount ] || slow=8
	PIDS=() B_PID='' RNIC_PIDS=()
	trap guests_over EXIT
	trap 'exit 130' INT TERM
	started=$EPOCHREALTIME
	rnic_wire_up
	say "lab: $K_RELEASE, $RUN_ACCEL, ${RUN_PAIR:+two guests, }${RUN_PEER:+b is $RUN_PEER, }$RUN_CPUS CPUs, $(wc -l <"$RUN_DIR/lab/in/plan") tests"
	limit=$((BOOT_LIMIT * PATIENCE * slow))
	guest_a_start "$limit"
	mapfile -t PLAN <"$RUN_DIR/lab/in/plan"
	while :; do
		rc=0
		if [ "$A_FIRST" ]; then
			line=$A_FIRST A_FIRST=''
		else
			read -r -t "$limit" -u "$A_FD" line || rc=$?
		fi
		if [ "$rc" -gt 128 ]; then
			why="no sign of life for $limit s"
			break
		elif [ "$rc" -ne 0 ]; then
			why='guest died'
			break
		fi
		rest=${line#* }
		[ "$RUN_ACCEL" != uml ] || uml_cpu
		case $line in
		ok\ * | skip\ * | not\ *)
			log_hide
			scenarios_collect "$name-$topology"
			[ -z "$cpu" ] || uml_waited "$cpu" ;;
		esac
		case $line in
		boot\ *)
			say "lab: booted $rest in $(seconds_since "$started") s" ;;
		clock\ *)
			if [ -z "$clock0" ]; then clock0=$rest host0=$EPOCHREALTIME
			else clock1=$rest host1=$EPOCHREALTIME; fi ;;
		run\ *)
			read -r name topology limit <<<"${PLAN[0]}"
			PLAN=("${PLAN[@]:1}")
			current="${name}[$topology]"
			# Allow twice the time limit of the test, and 240 s for topology_up and
			# topology_down. The factor slow converts the guest's seconds to the host's
			# seconds.
			limit=$(((limit * 2 + 240) * PATIENCE * slow))
			[ "$RUN_ACCEL" != uml ] || cpu=$UML_CPU
			log_show "$name-$topology" ;;
		ok\ *)
			say "ok $current (${rest}s)"
			passed=$((passed + 1)) done_well+=("$current") current='' ;;
		skip\ *)
			if skip_expected "${current%%[*}"; then
				say "skip $current: ${rest#* }"
				skipped=$((skipped + 1))
			else
				say "not ok $current: unexpected skip: ${rest#* }"
				failed=$((failed + 1))
			fi
			current='' ;;
		not\ *)
			say "not ok $current: ${rest#* } (${rest%% *}s)"
			log_tail "$current"
			failed=$((failed + 1)) current='' ;;
		gone\ b)
			guest_b_bury
			guest_b_start "$((BOOT_LIMIT * PATIENCE * slow))" ;;
		done)
			finished=1
			break ;;
		esac
	done
	log_hide
	if [ -z "$finished" ]; then
		if [ "$current" ]; then
			say "not ok $current: $why"
			log_tail "$current"
			failed=$((failed + 1))
		fi
		say "--- console of guest a"
		tail -n 40 "$RUN_DIR/console-a" || :
		for line in "$RUN_DIR"/qemu-*.log "$RUN_DIR"/lab/out/rnic-*.log; do
			[ -s "$line" ] || continue
			say "--- ${line##*/}"
			tail -n 20 "$line"
		done
	fi
	for line in "${PLAN[@]}"; do
		read -r name topology limit <<<"$line"
		say "not ok ${name}[$topology]: not run, ${why:-the test before left too much}"
		failed=$((failed + 1))
	done
	guests_stop
	for current in "${done_well[@]}"; do
		rc=0
		after_test "${current%%[*}" "${current/[/-}" || rc=$?
		case $rc in
		0) passed=$((passed + 1)) ;;
		1) failed=$((failed + 1)) ;;
		esac
	done
	if consoles_splat; then
		failed=$((failed + 1))
	fi
	if [ "$clock1" ]; then
		clock_report "$clock0" "$clock1" "$host0" "$host1"
	fi
	say "$passed passed, $failed failed, $skipped skipped ($K_SERIES${K_KIND:+ $K_KIND}${K_MACHINE:+ $K_MACHINE}, $(seconds_since "$started") s)"
	[ "$failed" -eq 0 ]
}

# log_show NAME-TOPOLOGY: with --show, prints a test's output as it arrives, until log_hide is
# called. log_hide ends a process that tail watches. tail then prints the remaining output and ends,
# too.
log_show()
{
	[ "$RUN_SHOW" ] || return 0
	: >>"$RUN_DIR/lab/out/$1.log"
	sleep infinity &
	WATCHED=$!
	tail -n +1 -s 0.1 --pid="$WATCHED" -f "$RUN_DIR/lab/out/$1.log" &
	SHOWN=$!
	disown "$WATCHED"
	PIDS+=("$WATCHED")
}

# log_hide: ends the output of log_show, when all output has been printed
log_hide()
{
	[ "${SHOWN-}" ] || return 0
	kill "$WATCHED"
	wait "$SHOWN" || :
	SHOWN=''
}

# guest_a_start SECONDS: boots guest a, and guest b if there are two guests. Boots again if QEMU or
# User-Mode Linux itself fails. SECONDS is the time limit of a boot with QEMU; for User-Mode Linux,
# the limit is 60 seconds times PATIENCE. Sets A_FD to the result channel of guest a, and A_FIRST to
# the first line of this channel. A_FIRST is empty if no line has arrived.
guest_a_start()
{
	local boots seconds=$1
	[ "$RUN_ACCEL" != uml ] || seconds=$((60 * PATIENCE))
	for ((boots = 1; ; boots++)); do
		guest_devices a on 1
		if [ "$RUN_ACCEL" = uml ]; then
			exec {A_FD}< <(uml_start "$RUN_DIR" "$RUN_CPUS" "$RUN_MEM")
		else
			exec {A_FD}< <(qemu_start "$RUN_DIR" a "$RUN_CPUS" "$RUN_MEM" "$RUN_ACCEL" \
				"$(guest_append a)" "${DEVICES[@]}")
		fi
		PIDS=($!)
		[ -z "$RUN_PAIR" ] || guest_b_start "$1"
		read -r -t "$seconds" -u "$A_FD" A_FIRST && return
		if [ "$RUN_ACCEL" = uml ]; then uml_hung $boots; else qemu_fell a $boots; fi || return 0
		guests_kill
		exec {A_FD}<&-
		rm -f "$RUN_DIR/wire" "$RUN_DIR/mgmt"
	done
}

# guest_devices GUEST SERVER N: sets DEVICES to QEMU's arguments for the devices of GUEST, and
# starts its PCIe RNICs. SERVER and N are those of link_args.
guest_devices()
{
	local side
	DEVICES=()
	if [ "$RUN_RNIC" != soft ]; then
		for side in $(rnic_sides "$1"); do
			rnic_start "$side"
		done
		mapfile -t DEVICES < <(rnic_args "$1" "$RUN_MEM")
	fi
	[ -z "$RUN_PROFILE" ] ||
		DEVICES+=(-plugin "$PROFILE_PLUGIN,out=$RUN_DIR/lab/out/profile")
	[ -z "$RUN_IOMMU" ] ||
		DEVICES=(-device "intel-iommu,caching-mode=on,intremap=off" "${DEVICES[@]}")
	[ "$1-${RUN_DISK%12}" != b-systemd ] || DEVICES+=(-action reboot=reset)
	[ -z "$RUN_PAIR" ] || mapfile -t -O "${#DEVICES[@]}" DEVICES < <(link_args "$2" "$3")
}

# guest_append GUEST: prints words for the kernel command line of GUEST
guest_append()
{
	local words=("lab.rnic=$RUN_RNIC")
	[ -z "$RUN_PAIR" ] || words+=(lab.pair)
	[ -z "$RUN_IOMMU" ] || words+=(intel_iommu=on iommu=nopt iommu.strict=1)
	[ "$1-${RUN_DISK%12}" != b-systemd ] || words+=(lab.init=systemd)
	[ -z "$RUN_SWIOTLB" ] || words+=(swiotlb=force)
	echo "${words[*]}"
}

# guest_b_start SECONDS: boots guest b, and boots it again if QEMU fails. Before the boot, waits
# until guest a listens for the two links. Guest b connects to guest a, because guest a lives
# longer. Returns when the first line of output of guest b has arrived. SECONDS is the time limit
# for this line.
guest_b_start()
{
	local tries line boots
	for ((tries = 0; tries < 200 * PATIENCE; tries++)); do
		! socket_listens "$RUN_DIR/wire" "${PIDS[0]}" ||
			! socket_listens "$RUN_DIR/mgmt" "${PIDS[0]}" || break
		read -r -t 0.1 <><(:) || :
	done
	for ((boots = 1; ; boots++)); do
		guest_devices b off 2
		exec {B_FD}< <(
			# shellcheck source=/dev/null
			[ -z "$RUN_PEER" ] || . "$RUN_DIR/peer.env"
			qemu_start "$RUN_DIR" b "$RUN_CPUS" "$RUN_MEM" "$RUN_ACCEL" \
				"$(guest_append b)" "${DEVICES[@]}")
		B_PID=$!
		read -r -t "$1" -u "$B_FD" line && return
		# If QEMU of guest a has failed, return to guest_a_start, which boots both guests
		# again.
		! grep -q "$QEMU_FELL" "$RUN_DIR/qemu-a.log" || return 0
		qemu_fell b $boots || break
		exec {B_FD}<&-
	done
	cat "$RUN_DIR/qemu-a.log" "$RUN_DIR/qemu-b.log" >&2
	die "guest b did not start"
}

# qemu_fell GUEST BOOTS: succeeds if QEMU itself has failed while GUEST booted, and the lab may boot
# it again. BOOTS is the number of boots so far; the maximum is 3. QEMU with TCG sometimes fails
# when a CPU accesses a PCI BAR that is being sized (msix_table_mmio_write). This happens before
# code of this tree runs. If QEMU fails later, the test fails.
QEMU_FELL='Assertion .* failed'
qemu_fell()
{
	grep -q "$QEMU_FELL" "$RUN_DIR/qemu-$1.log" || return
	say "lab: QEMU broke while guest $1 booted: $(tail -n 1 "$RUN_DIR/qemu-$1.log")"
	[ "$2" -lt 3 ]
}

# guest_b_bury: after a test has ended guest b (b_dies), renames the file with guest b's console
# output, so that the next boot does not overwrite the file
guest_b_bury()
{
	local n=1
	pid_end "$B_PID"
	exec {B_FD}<&-
	while [ -e "$RUN_DIR/console-b.$n" ]; do
		n=$((n + 1))
	done
	mv "$RUN_DIR/console-b" "$RUN_DIR/console-b.$n"
}

# link_args SERVER N: prints QEMU's arguments for the two links between the guests, one on each
# line. Tests use the link "wire"; on_b uses the link "mgmt". SERVER is on for the guest that
# listens, and off for the guest that connects. N is the last digit of the guest's MAC addresses.
link_args()
{
	local link n=0
	for link in wire mgmt; do
		n=$((n + 1))
		printf '%s\n' -netdev \
			"stream,id=$link,server=$1,addr.type=unix,addr.path=$RUN_DIR/$link" \
			-device "virtio-net,netdev=$link,mac=52:54:00:73:0$n:0$2"
	done
}

# guests_stop: waits until the guests have powered off, or kills them after a time limit; then ends
# the RNICs
guests_stop()
{
	local pid
	for pid in "${PIDS[@]}" ${B_PID:+"$B_PID"}; do
		pid_end "$pid"
	done
	PIDS=() B_PID=''
	rnic_stop
}

# pid_end PID: waits at most ten seconds for the end of the process PID, and then kills it
pid_end()
{
	local tries
	for ((tries = 0; tries < 100; tries++)); do
		kill -0 "$1" 2>/dev/null || return 0
		read -r -t 0.1 <><(:) || :
	done
	kill -9 "$1" 2>/dev/null || :
}

# guests_kill: kills the guests
guests_kill()
{
	local pid
	for pid in "${PIDS[@]}" ${B_PID:+"$B_PID"}; do
		kill -9 "$pid" 2>/dev/null || :
	done
	PIDS=() B_PID=''
}

# guests_over: ends the guests and the RNICs. It runs whenever the lab exits.
guests_over()
{
	guests_kill
	rnic_stop
}

# scenarios_collect NAME-TOPOLOGY: if XIW_RESULTS is set to a folder, appends the results of the
# wire peer in this test to scenarios.tsv in this folder. spec-coverage reads the file.
scenarios_collect()
{
	local file=$RUN_DIR/lab/out/$1/scenarios.tsv
	[ -z "${XIW_RESULTS-}" ] || [ ! -s "$file" ] || cat "$file" >>"$XIW_RESULTS/scenarios.tsv"
}

# log_tail: prints the end of a test's output, and the end of the guests' kernel logs during the
# test. Omits the output if --show has already printed it.
log_tail() # NAME[TOPOLOGY]
{
	local file=${1/[/-}
	file=$RUN_DIR/lab/out/${file%]}
	say "--- $file.log"
	[ ! -e "$file.log" ] || [ "$RUN_SHOW" ] || tail -n 40 "$file.log"
	for file in "$file".kernel*; do
		[ -s "$file" ] || continue
		say "--- $file"
		tail -n 60 "$file"
	done
	say "---"
}

# after_test NAME NAME-TOPOLOGY: runs the program that the header field "after" of the test NAME
# names. The program runs on the host, in the check root, with the files that the test has left.
# Prints a result. Returns 1 if the program fails, and 2 if the test has no such field.
after_test()
{
	local file=$LAB/tests/$1.sh after out=$RUN_DIR/lab/out/${2%]}
	[ -e "$file" ] || return 2
	after=$(test_header "$file" after)
	[ "$after" ] || return 2
	root_check
	if root_enter "$ROOT" "$LAB/after/$after" "$out" >"$out.after" 2>&1; then
		say "ok $1.$after"
	else
		say "not ok $1.$after: $(tail -n 1 "$out.after")"
		tail -n 40 "$out.after"
		return 1
	fi
}

# skip_expected TEST: succeeds if the file "skips" lists TEST for the selected kernel
skip_expected()
{
	awk -v test="$1" -v series="$K_SERIES" -v role="$K_ROLE" \
		'!/^#/ && $2 == test && ($1 == series || $1 == role || $1 == "all") { hit = 1 }
		END { exit !hit }' "$LAB/skips"
}

# consoles_splat: succeeds if a guest's console contains a splat outside of any test (boot,
# shutdown, a panic), and prints the splat. If a test's kernel log contains a splat, the function
# reports nothing, because the console contains the splat of the test, too.
consoles_splat()
{
	local file clean=1 seen splat
	seen=$(cat "$RUN_DIR"/lab/out/*.kernel* 2>/dev/null | splats)
	for file in "$RUN_DIR"/console-*; do
		splat=$(splats <"$file" | sed -n 1p)
		if [ -z "$seen" ] && [ "$splat" ]; then
			say "$splat"
			say "not ok ${file##*/}: kernel splat outside a test"
			clean=0
		fi
	done
	return "$clean"
}

# clock_report GUEST0 GUEST1 HOST0 HOST1: prints the ratio between the guest's clock and the host's
# clock. The arguments are times at the start and at the end of the run, in seconds.
clock_report()
{
	awk -v g="$(bc_sub "$2" "$1")" -v h="$(bc_sub "$4" "$3")" -v accel="$RUN_ACCEL" 'BEGIN {
		r = h > 0 ? g / h : 0
		printf "lab: guest clock against host clock: %.3f\n", r
		if (accel != "icount" && (r < 0.9 || r > 1.1))
			print "lab: warning: the clock is too wrong to measure times"
	}'
}

bc_sub() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.3f", a - b }'; }
