# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# One machine has two versions of libibverbs: Debian's version, and next-verbs, whose provider
# interface has another number. Providers for both versions are installed, and each version loads
# its own provider. Programs that use different versions connect to each other.
# topology: one
# kernels: all
# timeout: 300
# shellcheck shell=bash

user_up
FOLDER=$(echo /usr/lib/*-linux-gnu/libibverbs)
NEXT=/lab/in/next-verbs
NUMBER=$(grep -ao 'IBVERBS_PRIVATE_[0-9]*' $NEXT/libibverbs.so.1 | head -n 1)
NUMBER=${NUMBER##*_}
[ "$NUMBER" != 34 ] || fail "that is the same interface"
cp $NEXT/libxiwdv.so.1 "$FOLDER/libxiw-rdmav$NUMBER.so"
next=(env "LD_LIBRARY_PATH=$NEXT")	# runs a command with the libraries in $NEXT

# provider_of COMMAND...: prints the provider that COMMAND loads
provider_of() { LD_DEBUG=files "$@" 2>&1 >/dev/null | sed -n 's/.*calling init: .*\(libxiw-rdmav[0-9]*\).*/\1/p'; }
equal "provider of Debian's libibverbs" libxiw-rdmav34 "$(provider_of ibv_devices)"
equal "provider of the next" "libxiw-rdmav$NUMBER" "$(provider_of "${next[@]}" ibv_devices)"

say "programs of Debian, on both"
for side in server client; do
	port=$((USER_PORT++))
	server=() client=()
	[ $side = client ] || server=("${next[@]}")
	[ $side = server ] || client=("${next[@]}")
	server_up $port "${server[@]}" rping -s -a "$IP_B" -p $port -C 20 -V
	expect "the other $side" on_a "${client[@]}" rping -c -a "$IP_B" -p $port -C 20 -V
	server_done
done

say "every operation, the wrong ones too"
rc=0
ON_TIMEOUT=150 on_b "${next[@]}" xiw --json selftest "$RD_B" >/tmp/selftest.json || rc=$?
jq -r '.selftest.cases[] | "\(.verdict)  \(.case)  \(.text)"' /tmp/selftest.json
equal "status of the self-test" 0 $rc
user_clean
