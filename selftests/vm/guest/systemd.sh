# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# A guest whose first process is systemd (lab.init=systemd, "# disk: systemd"). The script init runs
# first and executes systemd, and systemd starts init again as a unit. Such a guest keeps its disk
# across a reboot.
# shellcheck shell=bash

# systemd_boot: installs the driver into the folder of modules, as modules_install does, and then
# executes systemd. The modules of the kernel are on a separate disk, which stays unchanged.
systemd_boot()
{
	local modules=/usr/lib/modules kept=/var/lib/lab updates units=/run/systemd/system
	updates=$modules/$(uname -r)/updates
	modprobe overlay && mkdir -p $kept/{modules,work} &&
		mount -t overlay -o "lowerdir=$modules,upperdir=$kept/modules,workdir=$kept/work" \
			overlay $modules || echo "lab: no place for modules"
	if [ ! -e "$updates/xiw.ko" ]; then
		mkdir -p "$updates" && cp /lab/in/modules/xiw.ko "$updates/" && depmod -a
	fi
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
