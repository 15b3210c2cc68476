# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# A guest for tests with the line "# disk: systemd"; its kernel command line has lab.init=systemd.
# The kernel starts the script init, which executes systemd. systemd then starts init again, as the
# unit lab.service. Such a guest keeps its disk across a reboot.
# shellcheck shell=bash

# modules_writable: mounts an overlay, so that the guest can write to the folder of modules. The
# modules of the kernel are on a separate disk, and this disk stays unchanged.
modules_writable()
{
	local modules=/usr/lib/modules kept=/var/lib/lab
	[ "$(stat -f -c %T $modules)" != overlayfs ] || return 0
	modprobe overlay && mkdir -p $kept/{modules,work} &&
		mount -t overlay -o "lowerdir=$modules,upperdir=$kept/modules,workdir=$kept/work" \
			overlay $modules
}

# modules_installed FILE...: installs modules where `make modules_install` puts them
modules_installed()
{
	local updates
	updates=/usr/lib/modules/$(uname -r)/updates
	modules_writable && mkdir -p "$updates" && cp "$@" "$updates/" && depmod -a
}

# systemd_boot: installs the driver, and then executes systemd
systemd_boot()
{
	local units=/run/systemd/system
	modules_writable || echo "lab: no place for modules"
	[ -e "/usr/lib/modules/$(uname -r)/updates/xiw.ko" ] ||
		modules_installed /lab/in/modules/xiw.ko
	mount -t tmpfs -o mode=755 run /run
	mkdir -p $units/multi-user.target.wants
	cat >$units/lab.service <<-END
		[Unit]
		Description=The lab
		[Service]
		ExecStart=/bin/bash /lab/in/guest/init
		KillMode=mixed
		LimitMEMLOCK=infinity
	END
	ln -s ../lab.service $units/multi-user.target.wants/
	exec /usr/lib/systemd/systemd
}

# b_reboots: makes systemd reboot guest b, and waits until guest b answers again
b_reboots()
{
	BOOT_BEFORE=$(on_b cat /proc/sys/kernel/random/boot_id) || return
	on_b systemctl --no-block reboot
	wait_for 150 b_rebooted
}
b_rebooted()
{
	local now
	now=$(ON_TIMEOUT=5 on_b cat /proc/sys/kernel/random/boot_id) && [ "$now" != "$BOOT_BEFORE" ]
}
