# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Detect leaked memory, on kernels with kmemleak.
# shellcheck shell=bash

KMEMLEAK=/sys/kernel/debug/kmemleak
# A regular expression for stack frames of this tree's modules. The frames of an unloaded module
# have no names, so the expression also matches the addresses of modules.
LEAK_OURS='\[xiw|0xffffffffc0[0-9a-f]'

# leaks_forget: clears the list of existing leaks, so that the next test does not report them
leaks_forget() { [ ! -e $KMEMLEAK ] || echo clear >$KMEMLEAK; }

# leaks_look: if the driver or the exerciser has leaked memory, reports this as a splat in the
# kernel log. Call it while the modules are loaded, so that their functions have names.
leaks_look()
{
	local end
	[ -e $KMEMLEAK ] || return 0
	# Wait, because kmemleak never reports memory that is younger than five seconds.
	end=$((${EPOCHREALTIME/./} + 6000000))
	while [ "${EPOCHREALTIME/./}" -lt "$end" ]; do
		nap 0.5
	done
	# The first scan records the contents of unreferenced objects. The second scan reports
	# those whose contents have not changed.
	echo scan >$KMEMLEAK
	echo scan >$KMEMLEAK
	leaks_ours <$KMEMLEAK >/run/leaks
	[ -s /run/leaks ] || return 0
	{
		echo "<3>BUG: leak: $(grep -c '^unreferenced' /run/leaks) objects"
		head -n 100 /run/leaks | sed 's/^/<3>leak: /'
	} | while IFS= read -r line; do
		printf '%s\n' "$line" >/dev/kmsg
	done
	leaks_forget
}

# leaks_ours: reads reports of kmemleak from stdin, and prints those that contain stack frames of
# this tree's modules. It omits reports of iw_cm's copy of private data, because iw_cm leaks the
# copy if the cm_id is destroyed before iw_cm handles the event with the private data
# (docs/upstream/README.md, 0003).
leaks_ours()
{
	awk -v ours="$LEAK_OURS" '
		function out() { if (hit && !theirs) printf "%s", block; block = ""; hit = theirs = 0 }
		/^unreferenced object/ { out() }
		{ block = block $0 "\n" }
		$0 ~ ours { hit = 1 }
		/ cm_event_handler\+/ { theirs = 1 }
		END { out() }'
}
