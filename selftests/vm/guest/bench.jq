# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Rows of bench_row in, one object out: medians, spread, ratios, and a table.
# Each row: work, octets, depth, mtu, type, round, ns (per operation).
def round2: . * 100 | round / 100;
def spread: sort | {
	median: (if length % 2 == 1 then .[length / 2 | floor]
		else (.[length / 2 - 1] + .[length / 2]) / 2 end),
	min: .[0], max: .[-1]};
def pad($n): tostring | " " * ([$n - length, 0] | max) + .;
def lpad($n): tostring | . + " " * ([$n - length, 0] | max);
def figure: if .depth == 1 then "\(.ns.median / 1000 | round2) us"
	elif .octets < 65536 then "\(1e9 / .ns.median | round) /s"
	else "\(.mibs | . * 10 | round / 10) MiB/s" end;

(map(.type) | unique | [$base] + (. - [$base])) as $types |
# group_by sorts; the order of the measurements is nicer
(reduce .[] as $r ([]; ($r | [.work, .octets, .depth, .mtu]) as $k |
	if index([$k]) then . else . + [$k] end)) as $keys |
. as $all |
[$keys[] as [$work, $octets, $depth, $mtu] |
	($all | map(select(.work == $work and .octets == $octets and .depth == $depth and
		.mtu == $mtu))) as $rows |
	{ work: $work, octets: $octets, depth: $depth, mtu: $mtu } +
	{ results: ([$types[] as $type |
		($rows | map(select(.type == $type and .ns) | .ns)) as $ns |
		select($ns | length > 0) |
		{ key: $type, value: { octets: $octets, depth: $depth, ns: ($ns | spread),
			mibs: ($octets / 1048576 * 1e9 / ($ns | spread.median) | round2) } }] |
		from_entries),
	  failed: ($rows | map(select(.error) | "\(.type): \(.error)") | unique),
	  ratio: ([$types[1:][] as $type |
		[$rows[] | select(.type == $type and .ns) as $other |
			$rows[] | select(.type == $base and .ns and .round == $other.round) |
			$other.ns / .ns] |
		select(length > 0) |
		{ key: $type, value: (spread | map_values(round2)) }] | from_entries) }] |
{ name: $name, kernel: $kernel, clock: $clock, base: $base, types: $types, rows: . } |
. + { table: ([
	(["work", "octets", "depth", "mtu"] | (.[0] | lpad(12)) + " " +
		(.[1:] | map(pad(8)) | join(" "))) + " " +
	($types | map(pad(14)) | join(" ")) + " " +
	($types[1:] | map("\($base)/\(.)" | pad(22)) | join(" ")),
	(.rows[] | . as $row |
		(.work | lpad(12)) + " " + ([.octets, .depth, .mtu] | map(pad(8)) | join(" ")) + " " +
		($types | map($row.results[.] // null |
			if . then figure else "-" end | pad(14)) | join(" ")) + " " +
		($types[1:] | map($row.ratio[.] // null |
			if . then "\(.median)x (\(.min)-\(.max))" else "-" end | pad(22)) | join(" ")) +
		(.failed | map("  \(.)") | join("")))
	] | join("\n")) }
