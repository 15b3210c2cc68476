# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Reads the rows that bench_row has written, and writes one object with medians, spreads, ratios and
# a table. Each row has the keys work, octets, depth, mtu, type and round. The key of its result is
# ns (per operation) or kib (of memory). The other keys are optional: busy (number of busy CPUs, on
# average, in thousandths), conns (QPs in use at once, 1 by default) and stags (valid STags, 1 by
# default). Ratios are rounded, except the key "exact", which is the median that tests check.
def round2: . * 100 | round / 100;
def spread: sort | {
	median: (if length % 2 == 1 then .[length / 2 | floor]
		else (.[length / 2 - 1] + .[length / 2]) / 2 end),
	min: .[0], max: .[-1]};
def pad($n): tostring | " " * ([$n - length, 0] | max) + .;
def lpad($n): tostring | . + " " * ([$n - length, 0] | max);
def cost: .ns // .kib;
def keys_of: {work, octets, depth, mtu, conns: (.conns // 1), stags: (.stags // 1)};
def figure($row): if .kib then "\(.kib.median | . * 10 | round / 10) KiB"
	elif $row.depth == 1 and $row.conns == 1 then "\(.ns.median / 1000 | round2) us"
	elif $row.octets < 65536 then "\(1e9 / .ns.median | round) /s"
	else "\(.mibs | . * 10 | round / 10) MiB/s" end;

(reduce .[].type as $t ([$base]; if index([$t]) then . else . + [$t] end)) as $types |
# Keep the order of the measurements, which group_by would sort.
(reduce .[] as $r ([]; ($r | keys_of) as $k | if index([$k]) then . else . + [$k] end)) as $keys |
. as $all |
[$keys[] as $key |
	($all | map(select(keys_of == $key))) as $rows |
	$key +
	{ results: ([$types[] as $type |
		($rows | map(select(.type == $type and cost))) as $taken |
		select($taken | length > 0) |
		{ key: $type, value: (if $taken[0].kib then { kib: ($taken | map(.kib) | spread) }
			else { octets: $key.octets, depth: $key.depth, ns: ($taken | map(.ns) | spread) } |
				. + { mibs: ($key.octets / 1048576 * 1e9 / .ns.median | round2) } +
				if $key.octets > 0 and all($taken[]; .busy) then
					{ cpu_s_per_gib: ($taken | map(.ns * .busy / 1000) | spread |
						.median / $key.octets * 1.073741824 | . * 1000 | round / 1000) }
				else {} end end) }] |
		from_entries),
	  failed: ($rows | map(select(.error) | "\(.type): \(.error)") | unique),
	  ratio: ([$types[1:][] as $type |
		[$rows[] | select(.type == $type and cost) as $other |
			$rows[] | select(.type == $base and cost and .round == $other.round) |
			($other | cost) / cost] |
		select(length > 0) |
		{ key: $type, value: (spread | map_values(round2) + { exact: .median }) }] |
			from_entries) }] |
{ name: $name, command: $command, commit: $commit, date: $date, kernel: $kernel,
  host_cpu: $cpu, qemu: $qemu,
  clock: $clock, base: $base, types: $types, rows: . } |
. + { table: ([
	(["work", "octets", "depth", "mtu", "conns", "stags"] | (.[0] | lpad(12)) + " " +
		(.[1:] | map(pad(8)) | join(" "))) + " " +
	($types | map(pad(14)) | join(" ")) + " " +
	($types[1:] | map("\($base)/\(.)" | pad(22)) | join(" ")),
	(.rows[] | . as $row |
		(.work | lpad(12)) + " " +
		([.octets, .depth, .mtu, .conns, .stags] | map(pad(8)) | join(" ")) + " " +
		($types | map($row.results[.] // null |
			if . then figure($row) else "-" end | pad(14)) | join(" ")) + " " +
		($types[1:] | map($row.ratio[.] // null |
			if . then "\(.median)x (\(.min)-\(.max))" else "-" end | pad(22)) | join(" ")) +
		(.failed | map("  \(.)") | join("")))
	] | join("\n")) }
