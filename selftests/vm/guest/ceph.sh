# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Ceph over RDMA, with its messenger in iWARP mode: a monitor and an OSD on side b, which listen at
# IP_B, and clients. Each process uses one RDMA device.
# shellcheck shell=bash

# ceph_home DEVICE: prints the folder with the configuration and the data of the processes that use
# DEVICE
ceph_home() { echo "/tmp/ceph-$1"; }

# ceph_config DEVICE: makes the folder for DEVICE. Every process registers all its buffers when it
# starts. By default, these would be 1 GiB for each process, so the configuration reduces them.
ceph_config()
{
	local home
	home=$(ceph_home "$1")
	mkdir -p "$home"/{mon,osd} && cat >"$home/ceph.conf" <<-END
		[global]
		fsid = 73060000-0001-4b1e-9c41-520000000001
		mon_initial_members = a
		mon_host = [v2:$IP_B:3300,v1:$IP_B:6789]
		auth_cluster_required = none
		auth_service_required = none
		auth_client_required = none
		ms_type = async+rdma
		ms_async_rdma_type = iwarp
		ms_async_rdma_cm = true
		ms_async_rdma_device_name = $1
		ms_async_rdma_buffer_size = 32768
		ms_async_rdma_send_buffers = 512
		ms_async_rdma_receive_queue_len = 512
		ms_async_rdma_receive_buffers = 4096
		osd_pool_default_size = 1
		osd_pool_default_min_size = 1
		osd_pool_default_pg_num = 8
		osd_pool_default_pg_autoscale_mode = off
		osd_crush_chooseleaf_type = 0
		osd_objectstore = memstore
		memstore_device_bytes = 512M
		mon_data = $home/mon
		osd_data = $home/osd
		run_dir = $home
		log_file = $home/\$name.log
		admin_socket = $home/\$name.\$pid.asok
		mon_data_avail_crit = 1
	END
}

# ceph_on DEVICE COMMAND...: runs a program of Ceph that uses DEVICE
ceph_on() { CEPH_CONF=$(ceph_home "$1")/ceph.conf "${@:2}"; }

# ceph_daemon DEVICE PROGRAM...: runs a daemon of Ceph in the background. It uses the address IP_B.
ceph_daemon()
{
	ceph_on "$@" -f --public-addr="$IP_B" </dev/null >>"$(ceph_home "$1")/daemons.log" 2>&1 &
}

# ceph_monitor_up DEVICE, ceph_osd_up DEVICE: start the monitor a and the OSD 0
ceph_monitor_up() { ceph_on "$1" ceph-mon -i a --mkfs && ceph_daemon "$1" ceph-mon -i a; }
ceph_osd_up()
{
	local id
	read -r id </proc/sys/kernel/random/uuid
	ceph_on "$1" within 60 ceph osd new "$id" &&
		ceph_on "$1" ceph-osd -i 0 --mkfs --osd-uuid "$id" --no-mon-config &&
		ceph_daemon "$1" ceph-osd -i 0
}

# ceph_down: ends the daemons of this guest
ceph_down() { program_end ceph-osd && program_end ceph-mon; }

# ceph_said DEVICE: prints the ends of the logs of the daemons
ceph_said() { tail -n 20 "$(ceph_home "$1")"/*.log; }
