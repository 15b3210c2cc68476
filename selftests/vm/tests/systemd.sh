# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# systemd is the first process of guest b. The unit xiw@xiw0 creates a link there, with the settings
# of its configuration file. A reload of the unit applies changes of this file. If the file is
# invalid, the unit does not start, and there is no link. After a reboot, the link exists again. The
# test also checks udev's rules for the device, and the file that xiw-textfile.service writes for
# Prometheus.
# topology: pair
# kernels: stable
# disk: systemd
# timeout: 400
# shellcheck shell=bash

UNIT=xiw@xiw0.service FILE=/etc/xiw/links.d/xiw0.conf RD_B=xiw0
PROM=/var/lib/prometheus/node-exporter/xiw.prom

# b CMD...: runs CMD, which must succeed, on side b
b() { expect "b" on_b "$@"; }
# b_writes FILE LINE...: writes the LINEs into FILE of guest b
# shellcheck disable=SC2016
b_writes() { b bash -c 'printf "%s\n" "${@:2}" >"$1"' - "$@"; }
linked() { on_b test -e /sys/class/infiniband/xiw0; }
active() { equal "$UNIT" "$1" "$(on_b systemctl is-active $UNIT || :)"; }
# journal: prints the unit's output since its last start, from the journal
journal()
{
	on_b bash -c 'journalctl -q -o cat "_SYSTEMD_INVOCATION_ID=$1"' - \
		"$(on_b systemctl show -P InvocationID $UNIT)"
}
journal_has() { [[ $(journal) == *"$1"* ]]; }
# settings_are WANTED: checks that [crc, park_time_ms] of the link is WANTED
settings_are()
{
	told_is b "$1" '.config[] | select(.device == "xiw0").settings | [.crc, .park_time_ms]' \
		config show xiw0
}
# refused WHY LINE...: checks that the unit fails with a file of these LINEs, that the journal
# contains WHY, and that there is no link
refused()
{
	b_writes $FILE "${@:2}"
	refuse "a link: $1" on_b systemctl start $UNIT
	active failed
	wait_for 10 journal_has "$1" || fail "not in the journal: $1: $(journal)"
	! linked || fail "there is a link"
	b systemctl reset-failed $UNIT
}

equal "first process of b" systemd "$(on_b cat /proc/1/comm)"
say "$(on_b systemctl --version | head -n 1)"

say "the files of make install, and those that are examples"
b cp -a /lab/in/install/. /
b mkdir -p /etc/xiw/links.d ${PROM%/*}
b cp /usr/share/doc/xiw/xiw-textfile.{service,timer} /etc/systemd/system/
b cp /usr/share/doc/xiw/xiw.modules-load.example /etc/modules-load.d/xiw.conf
b_writes /etc/systemd/network/eth0.network '[Match]' Name=eth0 '[Network]' "Address=$IP_B/24"
# Debian enables ksmbd, which fails at boot because it has no configuration.
b systemctl disable --now ksmbd
b systemctl daemon-reload
b udevadm control --reload
equal "systemd about the units" "" \
	"$(on_b systemd-analyze --man=no verify $UNIT xiw-textfile.{service,timer} 2>&1)"
b udevadm verify /usr/lib/udev/rules.d/76-xiw.rules
ORDER=$(on_b systemctl show -P Before $UNIT)
for UNIT_LATER in nvmf-autoconnect.service open-iscsi.service remote-fs-pre.target; do
	[[ " $ORDER " == *" $UNIT_LATER "* ]] || fail "$UNIT is not before $UNIT_LATER: $ORDER"
done
equal "what $UNIT pulls in" remote-fs-pre.target "$(on_b systemctl show -P Wants $UNIT)"

say "without a file, and with one that is wrong"
b systemctl start $UNIT
active inactive
refused "nosuch" netdev=nosuch
refused "no netdev=INTERFACE" crc=off
refused "'garbage' is not KEY=VALUE" netdev=eth0 garbage
refused "crc" netdev=eth0 crc=perhaps
refused "no-setting" netdev=eth0 no-setting=1

say "a link with its settings"
b_writes $FILE "netdev=eth0 # the wire" crc=off park-time=3s
b systemctl enable --now $UNIT
active active
linked || fail "no link"
settings_are '[false,3000]'
equal "interface" eth0 "$(told b '.devices[0].netdev' show xiw0 | tr -d '"')"
b_writes $FILE netdev=eth0 crc=off park-time=4s
b systemctl reload $UNIT
settings_are '[false,4000]'
b_writes $FILE netdev=eth0 park-time=never
refuse "a reload of what is wrong" on_b systemctl reload $UNIT
active active
settings_are '[false,4000]'
b systemctl stop $UNIT
active inactive
! linked || fail "the link stays"
b_writes $FILE netdev=eth0 crc=off park-time=5s
b systemctl start $UNIT
settings_are '[false,5000]'

say "udev marks the device as iWARP, and the modules for iWARP are loaded"
MARKS=$(on_b udevadm test /sys/class/infiniband/xiw0 2>&1)
[[ $MARKS == *ID_RDMA_IWARP=1* ]] || fail "udev: $MARKS"
wait_for 20 on_b systemctl is-active rdma-load-modules@iwarp.service ||
	fail "$(on_b systemctl status rdma-load-modules@iwarp.service 2>&1)"

say "what Prometheus reads"
b systemctl enable --now systemd-networkd xiw-textfile.timer
told_prometheus() { on_b grep -q '^xiw_.*device="xiw0"' $PROM; }
wait_for 60 told_prometheus || fail "$(on_b systemctl status xiw-textfile.{service,timer} 2>&1)"

say "a restart of an RNIC applies its file"
PORT=xiw-rnic-port@vm1.service RNIC=xiw-rnic@vm1.service RNIC_FILE=/etc/xiw/rnics.d/vm1.conf
port_is()
{
	equal "MAC address" "$1" "$(on_b ip -n rnic-vm1 -br link show port | awk '{ print $3 }')"
}
b mkdir -p ${RNIC_FILE%/*}
b_writes $RNIC_FILE netdev=eth0 mac=52:54:00:73:06:01
b systemctl start $RNIC
port_is 52:54:00:73:06:01
b_writes $RNIC_FILE netdev=eth0 mac=52:54:00:73:06:02
b systemctl restart $RNIC
port_is 52:54:00:73:06:02
b systemctl stop $RNIC
equal $PORT inactive "$(on_b systemctl is-active $PORT || :)"
b rm $RNIC_FILE
b systemctl start $RNIC
equal "$RNIC without its file" inactive "$(on_b systemctl is-active $RNIC || :)"

say "after a reboot"
b_reboots || fail "b does not come back"
equal "b" running "$(on_b systemctl is-system-running --wait || on_b systemctl list-units --failed)"
active active
linked || fail "no link: $(journal)"
settings_are '[false,5000]'
told_again() { on_b test $PROM -nt /run/guest && told_prometheus; }
wait_for 90 told_again || fail "$(on_b systemctl status xiw-textfile.{service,timer} 2>&1)"

say "and it is of use"
RD_A=xiw0
expect "a link of a" on_a rdma_link xiw xiw0 eth0
provider_install || fail "no provider"
wait_for 20 on_a ping -c 1 -W 1 "$IP_B"
server_up 7306 xiw ping --serve --once "$IP_B"
expect "all operations" on_a xiw ping -c 10 -W $((5 * PATIENCE)) "$IP_B"
server_done

say "and goes for good"
b systemctl disable --now $UNIT
! linked || fail "the link stays"
