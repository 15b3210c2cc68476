# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Invalid requests are refused with a specific errno, and change nothing. The test covers links on
# unsuitable interfaces, objects beyond the limits, forbidden transitions of QPs, work requests that
# iWARP does not support, and invalid netlink messages. [R-SEC-016] [R-SEC-019] [S-REM-013]
# [S-REM-015] [S-LOC-002] [I-ATOM-001]
# topology: one
# kernels: all
# rnic: soft
# timeout: 120
# shellcheck shell=bash

xt_up
xt_pair
DEVICES=$(rdma link show)

# no_link WHY NAME NETDEV [TYPE]: checks that `rdma link add` refuses a link NAME of TYPE (default
# xiw) on NETDEV, prints WHY, and creates no device
no_link()
{
	local text
	if text=$(rdma link add "$2" type "${4-xiw}" netdev "$3" 2>&1); then
		fail "a link $2 on $3"
	fi
	[[ $text == *"$1"* ]] || fail "a link $2 on $3: $text"
	equal "devices after $2 on $3" "$DEVICES" "$(rdma link show)"
	say "+ $2 on $3: $text"
}

say "links"
no_link "No such device" xiwc nosuch
no_link "" xiwc "$DEV_A" nosuch
no_link "File exists" xiwc "$DEV_A"
ip link add spare type dummy
no_link "File exists" "$RD_A" spare
modprobe nlmon
ip link add nlmon0 type nlmon
no_link "Invalid argument" xiwc nlmon0
log_since "test misuse" | grep 'nlmon0: xiw: interfaces of type [0-9]* are not supported' ||
	fail "the log does not say what is wrong with nlmon0"
log_since "test misuse" | grep "$DEV_A: xiw: interface is already in use by $RD_A" ||
	fail "the log does not say who uses $DEV_A"
ip link del nlmon0
expect "a link on what was refused" rdma link add xiwc type xiw netdev spare
expect "and no more" rdma link del xiwc
ip link del spare

# no WHAT ERRNO KEY=VALUE...: checks that the creation of an object WHAT (qp, cq or srq) fails with
# ERRNO; yes WHAT KEY=VALUE...: checks that it succeeds
no() { xt_err "$2" a create "dev=$RD_A" "what=$1" "${@:3}"; }
yes() { xt a create "dev=$RD_A" "what=$1" "${@:2}"; }

say "objects"
for type in uc ud xrc raw; do no qp EOPNOTSUPP type=$type; done
yes qp sq=16384 rq=16384 sge=16 rsge=16 inline=256
for key in sq=16385 rq=16385 sge=17 rsge=17 inline=257; do no qp EINVAL $key; done
for key in sq rq sge rsge inline; do no qp EINVAL $key=0xffffffff; done
yes qp sq=0 rq=0 sge=0 rsge=0
yes cq cqe=262144
for key in cqe=262145 cqe=0xffffffff vector=64; do no cq EINVAL $key; done
# Omit a CQ without entries on kernels since 7.0. In some of them, such as 7.3, ib_core refuses this
# CQ with a splat, and does not call the driver.
case $(uname -r) in [1-6].*) no cq EINVAL cqe=0 ;; esac
yes srq srq=16384 rsge=16 limit=16384
for key in srq=0 srq=16385 rsge=17 srq=0xffffffff limit=9; do no srq EINVAL $key; done

say "states that a QP without a connection cannot have"
yes qp to=INIT
yes qp to=ERR
yes qp to=INIT,RTR,RTS,ERR
for to in SQD INIT,SQD ERR,INIT ERR,RTR ERR,RTS; do
	no qp EINVAL to=$to
	xt_is at "${to##*,}"
done

say "states that a connected one cannot be put into"
xt_listen mode=hold hello=0
xt a connect "addr=$IP_B" "port=$XT_PORT" hello=0 wait=0
EP_A=${XT[ep]}
xt b wait ep=all state=request
# The QP of side a exists, but refuses the work request because its connection does not exist yet
# (docs/states.md).
xt_err EINVAL a wr "ep=$EP_A" op=send len=0
xt b reject
xt a wait "ep=$EP_A" state=rejected
xt a close ep=all
xt b close ep=all
xt_listen
# The first connect below must fail, because its IRD is above the limit of the device. The IRD of
# the second connect is this limit.
xt a devinfo "dev=$RD_A"
most=${XT[max_qp_rd_atom]}
xt_err EINVAL a connect "addr=$IP_B" "port=$XT_PORT" hello=0 "ird=$((most + 1))"
xt_try a close ep=all || xt_is errno ENOENT
xt_join "ird=$most"
xt a query "ep=$EP_A"
xt_is ird "$most"
xt_part
xt_join sge=4 inline=64
for state in RESET INIT RTR; do
	xt_try a modify "ep=$EP_A" state=$state && fail "RTS to $state"
	[[ ${XT[errno]} == @(EINVAL|EBUSY) ]] || fail "RTS to $state: ${XT[0]}"
done
xt a query "ep=$EP_A"
xt_is qp_state RTS

say "work requests"
xt_err EOPNOTSUPP a wr "ep=$EP_A" op=send_imm buf=m len=8
xt_err EOPNOTSUPP a wr "ep=$EP_A" op=lso buf=m len=8
for op in 0x55 0xffff bind_mw; do
	xt_try a wr "ep=$EP_A" op=$op buf=m len=8 && fail "$op went through: ${XT[0]}"
	[[ ${XT[errno]} == @(EINVAL|EOPNOTSUPP) ]] || fail "$op: ${XT[0]}"
done
xt_err EINVAL a wr "ep=$EP_A" op=send buf=m len=20 sges=5
xt_err EINVAL a wr "ep=$EP_A" op=write buf=m len=20 sges=5
xt_err EINVAL a wr "ep=$EP_A" op=read buf=m len=20 sges=5
xt_err EINVAL a recv "ep=$EP_A" buf=m len=20 sges=5
xt_err EMSGSIZE a wr "ep=$EP_A" op=send buf=m len=65 inline=1
xt_err EINVAL a wr "ep=$EP_A" op=read buf=m len=8 inline=1
xt_err EINVAL a wr "ep=$EP_A" op=fetchadd len=4

say "requests before a refused request complete; this request and later ones do not"
xt a fill buf=m len=4K seed=8
xt a post "ep=$EP_A" op=write buf=m len=4K more=1
xt a post "ep=$EP_A" op=send_imm buf=m len=8 more=1
xt_err EOPNOTSUPP a post "ep=$EP_A" op=write len=0
xt_wc SUCCESS a wc
xt_err ETIMEDOUT a wc timeout=200
# A Write has been placed when the response to a later Read has arrived, so run a Read before the
# check.
xt_wc SUCCESS a wr "ep=$EP_A" op=read buf=m len=0
xt b check buf=m len=4K seed=8
xt a run "ep=$EP_A" op=write buf=m off=4M len=3000 qd=8 count=16 verify=1
for side in a b; do
	xt $side query
	xt_is qp_state RTS
	xt_is qp_events ''
	xt_is ghosts 0
	xt_is misordered 0
done
xt_part
xt b close ep=all

say "netlink messages"
INDEX=$(told a '.devices[0].index' show "$RD_A")
# settings: prints the settings of side a, as JSON
settings() { xiw --json config show "$RD_A"; }
SETTINGS=$(settings)
CONFIG_SET=6
INJECT_SET=14
for command in 1 3 5 6 10 11 12 13 $INJECT_SET 15 16; do
	# Send malformed attributes: shorter than their header, longer than the message, and with a
	# length below the minimum.
	genl_is "errno=22 text=*" raw $command "1=u32:$INDEX" 0400
	genl_is "errno=22 text=*" raw $command "1=u32:$INDEX" ff00030001
	genl_is "errno=22 text=*" raw $command "1=u32:$INDEX" 03000300
	genl_is "errno=22 at=99 text=*" ask $command "1=u32:$INDEX" 99=u32:1
done
genl_is "errno=22*" dump 1 1=hex:00
genl_is "errno=22*" ask $CONFIG_SET "1=hex:${INDEX}000000000000000000"
for setting in 3 4 5 6 7 8 9; do
	genl_is "errno=22 at=$setting text=*" ask $CONFIG_SET "1=u32:$INDEX" $setting=hex:
	genl_is "errno=@(22|34) at=$setting text=*" ask $CONFIG_SET "1=u32:$INDEX" $setting=u8:255
done
for setting in 10 11 12 13 14; do
	genl_is "errno=22 at=$setting text=*" ask $CONFIG_SET "1=u32:$INDEX" $setting=u16:9
	genl_is "errno=34 at=$setting text=*" ask $CONFIG_SET "1=u32:$INDEX" $setting=u32:4294967295
done
genl_is "errno=22 at=5 text=*peer-to-peer*" ask $CONFIG_SET "1=u32:$INDEX" 3=u8:0 5=u8:1
genl_is "errno=95*" ask 0
genl_is "errno=95*" ask 8	# notification only
genl_is "errno=95*" ask 17
genl_is "errno=95*" ask 255
genl_is "errno=95*" dump $CONFIG_SET
for setting in 4 5 6 7 8 9 10; do
	genl_is "errno=22 at=$setting text=*" ask $INJECT_SET "1=u32:$INDEX" $setting=hex:
done
for setting in 5=u8:7 6=u32:0 7=u32:0 9=u32:0 9=u32:30001; do
	genl_is "errno=34 at=${setting%%=*} text=*" ask $INJECT_SET "1=u32:$INDEX" "$setting"
done
genl_is "errno=95 text=*built without*" ask $INJECT_SET "1=u32:$INDEX" 5=u8:0
genl_is "errno=95 text=*built without*" ask 15 "1=u32:$INDEX"
genl_is "errno=95*text=*built without*" dump 15
genl_is "errno=95 text=*built without*" ask 16 "1=u32:$INDEX"
equal "settings after all that" "$SETTINGS" "$(settings)"
xiw_clean
