# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Results of a benchmark, and their summary. A result is a row: a JSON object on one line of the
# test's file of rows. bench.jq calculates medians and ratios.
# shellcheck shell=bash

# bench_rows: prints the path of the test's file of rows. Each test of a boot has a file of its own.
bench_rows() { printf '/tmp/%s.rows' "${OUT##*/}"; }

# bench_native: succeeds if the kernel is a process of the host (lab run -k uml)
bench_native() { grep -q 'lab\.share=' /proc/cmdline; }

# bench_clock: prints what the guest's clock measures: "instructions" (a nanosecond for each
# executed instruction), "native" (time of the host's processor), or "time" (time of QEMU's
# processor). Returns 1 if instructions are counted on a CPU with fast string operations, because
# each byte of a copy then counts as one instruction.
bench_clock()
{
	if bench_native; then
		echo native
		return
	fi
	if ! grep -q 'tsc_early_khz=1000000 ' /proc/cmdline; then
		echo time
		return
	fi
	if grep -m 1 ^flags /proc/cpuinfo | grep -qwE 'erms|fsrm'; then
		say "instructions are counted on a CPU with erms or fsrm: copies count too much"
		return 1
	fi
	echo instructions
}

# cpu_idle: prints the idle time of all CPUs since the boot, in ticks of 10 ms
cpu_idle() { awk '/^cpu / { print $5 + $6 }' /proc/stat; }

# bench_begin: starts the measurement of CPU time. bench_busy: prints how many CPUs were busy since
# bench_begin, on average, in thousandths
bench_begin() { IDLE_FROM=$(cpu_idle) BEGUN=${EPOCHREALTIME/./}; }
bench_busy()
{
	local ticks=$(($(cpu_idle) - IDLE_FROM))
	echo $(($(nproc) * 1000 - ticks * 10000000 / (${EPOCHREALTIME/./} - BEGUN)))
}

# bench_fio TARGET RW OCTETS DEPTH OPTION...: runs fio on the block device or file TARGET. RW is the
# access pattern (--rw), OCTETS the size of an operation, and DEPTH the number of pending
# operations. OPTIONs of fio set the duration. BENCH_SIZE is the size of the part of TARGET that fio
# uses. Writes the report to /tmp/fio.json. If fio fails, prints its errors and returns 1.
bench_fio()
{
	within 100 fio --name=speed --filename="$1" --direct=1 --ioengine=libaio --rw="$2" --bs="$3" \
		--iodepth="$4" --size="${BENCH_SIZE:-128m}" --time_based --norandommap \
		--randrepeat=1 "${@:5}" --output-format=json >/tmp/fio.json 2>/tmp/fio.err && return
	tail -n 3 /tmp/fio.err
	return 1
}

# bench_fio_done: prints the number of operations and the runtime in ns, from fio's report
bench_fio_done()
{
	jq -r '.jobs[0] | "\(.read.total_ios + .write.total_ios)"
		+ " \([.read.runtime, .write.runtime] | max * 1000000)"' /tmp/fio.json
}

# bench_io TARGET WORK RW OCTETS DEPTH: runs bench_fio for $MS ms, and writes a row with the mean
# time of an operation and the busy CPUs. WORK is the name of the row. The row also contains the
# variables type, round and MTU.
bench_io()
{
	local row=(work="$2" octets="$4" depth="$5" mtu="$MTU" type="$type" round="$round") ns ops busy
	bench_begin
	if ! bench_fio "$1" "$3" "$4" "$5" --runtime="${MS}ms"; then
		bench_row "${row[@]}" error="fio"
		return
	fi
	busy=$(bench_busy)
	read -r ops ns < <(bench_fio_done)
	bench_row "${row[@]}" ns=$((ns / ops)) ops="$ops" busy="$busy"
}

# bench_ios DISK [PREFIX]: measures large reads, large writes and small random reads on the disk
# DISK of NVMe-oF, and appends a row for each measurement. PREFIX precedes the name of each row.
bench_ios()
{
	bench_io "$1" "${2-}read" read 131072 16
	bench_io "$1" "${2-}write" write 131072 16
	bench_io "$1" "${2-}randread" randread 4096 16
	bench_io "$1" "${2-}randread" randread 4096 1
}

# bench_row KEY=VALUE...: appends a row to the test's file of rows. A VALUE that is not a number
# becomes a string.
bench_row()
{
	local word value line=''
	for word in "$@"; do
		value=${word#*=}
		[[ $value =~ ^-?[0-9]+(\.[0-9]+)?$ ]] || value="\"$value\""
		line+=", \"${word%%=*}\": $value"
	done
	printf '{%s}\n' "${line#, }" >>"$(bench_rows)"
}

# The lab sets LAB_COMMIT, LAB_DATE, LAB_CPU, LAB_QEMU and LAB_COMMAND. They describe where the
# figures come from.
#
# bench_report NAME BASE: writes the summary of all rows to OUT/NAME.json, or to
# OUT/native-NAME.json under User-Mode Linux, and prints a table. Each ratio compares the type BASE
# with another type. It is above 1 if BASE is faster or, in a row of memory, needs less memory.
# Fails the test if a row has an error. For siw, rxe and TCP, an error is a result, and does not
# fail the test. Also fails the test if BASE and another type were measured, but no row has a ratio.
bench_report()
{
	local file=/tmp/$1.json clock name=$1 failed
	clock=$(bench_clock) || { say "$clock"; return 1; }
	[ "$clock" != native ] || name=native-$1
	jq -s --arg name "$name" --arg base "$2" --arg kernel "$(uname -r)" --arg clock "$clock" \
		--arg commit "$LAB_COMMIT" --arg date "$LAB_DATE" --arg cpu "$LAB_CPU" \
		--arg qemu "$LAB_QEMU" --arg command "$LAB_COMMAND" \
		-f /run/guest/bench.jq "$(bench_rows)" >"$file" || return
	# The shared folder is slow, so write the whole file by one system call.
	dd "if=$file" "of=$OUT/$name.json" bs=4M status=none || return
	jq -r '.table' "$file" || return
	failed=$(jq -r '.rows[] | .work as $work | .failed[] |
		select(test("^(siw|rxe|tcp)") | not) | "\($work): \(.)"' "$file") || return
	[ -z "$failed" ] || fail "$failed"
	jq -e '.base as $base | (.types | length) == 1 or all(.rows[]; .results[$base] | not) or
		any(.rows[]; .ratio != {})' "$file" >/dev/null || fail "no ratio"
}

# bench_least NAME TYPE FILTER LEAST WHAT: checks the rows of the report NAME that the jq expression
# FILTER selects. Fails the test with the message WHAT if a selected row has no median ratio between
# the base and TYPE, or if the unrounded ratio is below LEAST. Also fails the test if FILTER selects
# no row.
bench_least()
{
	local low
	low=$(jq -r --arg type "$2" --argjson least "$4" "[.rows[] | select($3)] |
		if length == 0 then \"no row\" else .[].ratio[\$type].exact // 0 |
			select(. < \$least) end" "/tmp/$1.json") || fail "$5: no report"
	[ -z "$low" ] || fail "$5: ${low//$'\n'/ }"
}

# bench_faster NAME TYPE FILTER WHAT: fails the test with the message WHAT if the base is slower
# than TYPE in a row that FILTER selects (bench_least)
bench_faster() { bench_least "$1" "$2" "$3" 1 "$4"; }
