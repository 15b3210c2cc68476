# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Tests xiw config save and restore, xiw batch and xiw top with the driver. Saved settings are
# restored. A device that refuses a setting keeps its settings unchanged. The rates of xiw top match
# the traffic. A device checks CRCs unless it is configured otherwise [D-LLP-005].
# topology: one netns
# kernels: all
# rnic: soft
# timeout: 120
# shellcheck shell=bash

xt_up
xt_pair

SAVED=/tmp/saved.xiw
# save_a [OPTION...]: prints the saved configuration of side a; OPTIONs are those of xiw config save
save_a() { on_a xiw config save "$@"; }

say "what was saved comes back"
save_a >"$SAVED"
grep "^config set $RD_A crc=on " "$SAVED" || fail "no line of $RD_A"
configure_a crc=off park-time=250ms peer-to-peer=off mpa-revision=1
told_is a '[false,250,1]' ".config[] | select(.device == \"$RD_A\").settings |
	[.crc, .park_time_ms, .mpa_revision]" config show
expect "restored" on_a xiw config restore "$SAVED"
equal "the configuration" "$(cat "$SAVED")" "$(save_a)"

say "as a file of links.d"
save_a --link "$RD_A" >/tmp/link.conf
grep -qx "netdev=$DEV_A" /tmp/link.conf || fail "no netdev: $(cat /tmp/link.conf)"
configure_a crc=off latency=on
expect "restored" on_a xiw config restore --link "$RD_A" /tmp/link.conf
equal "the configuration" "$(cat "$SAVED")" "$(save_a)"

say "with an alternative name of the interface"
OTHER=the-interface-for-storage
on_a ip link property add dev "$DEV_A" altname $OTHER
sed "s/^netdev=.*/netdev=$OTHER/" /tmp/link.conf >/tmp/other.conf
configure_a crc=off
expect "restored" on_a xiw config restore --link "$RD_A" /tmp/other.conf
equal "the configuration" "$(cat "$SAVED")" "$(save_a)"
on_a ip link property del dev "$DEV_A" altname $OTHER
refuse "a name that does not exist" on_a xiw config restore --link "$RD_A" /tmp/other.conf

say "what the driver refuses changes nothing"
# MPA revision 1 conflicts with peer-to-peer=on, because revision 1 has no RTR message. Only the
# driver detects this conflict.
if [ "$TOPOLOGY" = one ]; then
	printf '%s\n' "config set $RD_B mpa-revision=1" "config set $RD_A crc=off" >/tmp/bad.xiw
else
	echo "config set $RD_A crc=off mpa-revision=1" >/tmp/bad.xiw
fi
on_a xiw config restore /tmp/bad.xiw 2>/tmp/said && fail "it is taken"
grep "its settings are unchanged" /tmp/said || fail "$(cat /tmp/said)"
equal "the configuration" "$(cat "$SAVED")" "$(save_a)"

say "a user without privileges"
rc=0
on_a setpriv --reuid 65534 --clear-groups --bounding-set=-all --inh-caps=-all \
	xiw config restore /tmp/link.conf --link "$RD_A" || rc=$?
equal "nothing to do" 0 "$rc"
sed 's/crc=on/crc=off/' /tmp/link.conf >/tmp/other.conf
rc=0
on_a setpriv --reuid 65534 --clear-groups --bounding-set=-all --inh-caps=-all \
	xiw config restore /tmp/other.conf --link "$RD_A" 2>/tmp/said || rc=$?
equal "not permitted" 4 "$rc"
equal "the configuration" "$(cat "$SAVED")" "$(save_a)"

say "a batch"
printf '%s\n' "config set $RD_A crc=off # on the way" "config set $RD_A mpa-revision=1" \
	"config set $RD_A crc=on" >/tmp/batch.xiw
rc=0
on_a xiw batch /tmp/batch.xiw 2>/tmp/said || rc=$?
equal "status" 1 "$rc"
grep '^xiw: /tmp/batch.xiw:2: ' /tmp/said || fail "$(cat /tmp/said)"
told_is a false ".config[] | select(.device == \"$RD_A\").settings.crc" config show
on_a xiw batch --force /tmp/batch.xiw 2>/tmp/said && fail "status 0"
equal "the configuration" "$(cat "$SAVED")" "$(save_a)"
expect "the saved file" on_a xiw batch "$SAVED"

say "rates"
xt_listen
xt_join
QPN=$(told a '.connections[] | select(.role == "initiator") | .qpn' conn "$RD_A")
on_a xiw --json top "$RD_A" --interval 2 >/tmp/top.json &
top=$!
while kill -0 "$top" 2>/dev/null; do
	xt_wc SUCCESS a wr op=write buf=m len=8192
done
wait "$top" || fail "top: status $?"
jq -c .rates /tmp/top.json
equal "rates" true "$(jq ".rates | .interval_ns >= 2000000000 and .devices[0].tx_bytes_per_s > 8192
	and ([.connections[] | select(.qpn == $QPN).tx_bytes_per_s][0] > 8192)" /tmp/top.json)"
xt a close ep=all
xt b wait "ep=$EP_B" state=disconnected
xt b close ep=all

xiw_clean
