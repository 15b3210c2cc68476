# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# The files from which a guest boots. A disk with Debian is the same for all kernels of an
# architecture. For each kernel, there are vmlinuz, a disk with its modules, and an initramfs that
# mounts both disks.
# shellcheck shell=bash

IMAGE_RECIPE=1	# part of every key: increase it when a recipe below changes

# Folders of modules for hardware that no guest has.
MODULES_DROPPED=(sound drivers/{accel,ata,atm,auxdisplay,bluetooth,comedi,edac,firewire}
	drivers/{gpu,hid,hwmon,iio,input,isdn,leds,media,memstick,message,mfd,misc,mmc,mtd}
	drivers/{parport,pcmcia,platform,power,pinctrl,rtc,soundwire,spi,staging,thermal}
	drivers/{thunderbolt,tty,usb,video,w1,watchdog,net/{ethernet,wireless,usb,can,wan}}
	drivers/infiniband/hw drivers/net/{phy,dsa,ieee802154,wwan,hamradio,arcnet,fddi}
	drivers/scsi/{aacraid,aic7xxx,aic94xx,be2iscsi,bfa,bnx2fc,bnx2i,csiostor,cxgbi}
	drivers/scsi/{esas2r,fnic,hisi_sas,isci,lpfc,megaraid,mpi3mr,mpt3sas,mvsas,pm8001}
	drivers/scsi/{qedf,qedi,qla2xxx,qla4xxx,smartpqi,snic,sym53c8xx_2}
	net/{bluetooth,wireless,mac80211,nfc,rxrpc,tipc,batman-adv,ceph,sctp}
	fs/{bcachefs,btrfs,ceph,f2fs,gfs2,jfs,nilfs2,ocfs2,orangefs,reiserfs,ubifs,udf,ntfs3})
# Modules that the initramfs loads before it mounts the disks.
MODULES_BOOT=(virtio_pci virtio_blk ext4 9pnet_virtio 9p virtio_console)

# guest_disk [ROOT]: sets GUEST_DISK to the disk image of the root ROOT, and makes the image unless
# the cache has it. ROOT is guest (the default), programs, systemd or systemd12.
guest_disk()
{
	local name=${K_MACHINE:+$K_MACHINE-}${1:-guest}
	root "$name"
	host_packages mke2fs=e2fsprogs
	GUEST_DISK=$CACHE/images/${ROOT##*/}-$IMAGE_RECIPE.ext4
	with_lock "$name-disk" guest_disk_make "$name"
}

# guest_disk_make NAME: makes the entry GUEST_DISK from the root NAME, and removes older images of
# this root
guest_disk_make()
{
	entry_whole "$GUEST_DISK" && return
	step "$1 disk" entry_make "$GUEST_DISK" disk_pack "$ROOT" 256
	entries_prune "$CACHE/images/$1-*" "$GUEST_DISK"
}

# disk_pack DIR FREE_MIB IMAGE: makes the ext4 image IMAGE of the files in DIR, with at least
# FREE_MIB MiB of free space. The image has no journal, because each run starts from the unchanged
# image.
disk_pack()
{
	local mib
	mib=$(du -sm --apparent-size "$1" | cut -f1)
	mib=$((mib + mib / 4 + $2))
	mke2fs -q -t ext4 -O ^has_journal -E lazy_itable_init=1,root_owner=0:0 \
		-m 0 -d "$1" "$3" "${mib}m"
}

# kernel_image: sets KERNEL_IMAGE to a folder with vmlinuz, modules.ext4 and initramfs of the K_*
# kernel
kernel_image()
{
	local ninep=''
	[ "$K_USE" = run ] || die "$K_RELEASE has no image to boot, only headers"
	host_packages mke2fs=e2fsprogs cpio=cpio depmod=kmod xz=xz-utils
	root "${K_MACHINE:+$K_MACHINE-}guest"
	! ninep_needed || ninep=$(<"$LAB/lib/ninep.sh")
	KERNEL_IMAGE=$CACHE/images/$K_RELEASE-$(key "$K_VERSION" "$IMAGE_RECIPE" \
		"${ROOT##*/}" "$(sha256sum <"$(boot_script)")" "${MODULES_DROPPED[@]}" \
		${K_CONFIG:+"$K_CONFIG"} ${ninep:+"$ninep"})
	with_lock "image-$K_RELEASE" kernel_image_make
}

# boot_script: prints the path of the script that the initramfs of the K_* kernel runs
boot_script() { if [ "$K_UML" ]; then echo "$LAB/guest/boot-uml"; else echo "$LAB/guest/boot"; fi; }

kernel_image_make()
{
	entry_whole "$KERNEL_IMAGE" && return
	step "kernel image $K_RELEASE" entry_make "$KERNEL_IMAGE" \
		"kernel_${K_KIND:+compiled_}unpack"
	# The release of a kernel may begin with that of another kernel: 6.17.1-uml-smp begins with
	# 6.17.1-uml. So match exactly the 12 digits of a key.
	entries_prune "$CACHE/images/$K_RELEASE-????????????" "$KERNEL_IMAGE"
}

# kernel_unpack NEW: makes the files of kernel_image in NEW, for a kernel of Debian
kernel_unpack() # NEW
{
	local new=$1 tree=$1/tree modules deb name packages=()
	mkdir -p "$tree/usr/lib"
	ln -s usr/lib "$tree/lib"
	# A kernel of backports has several packages instead of the single image package of a stable
	# kernel.
	for name in image binary modules base; do
		name=linux-$name-$K_RELEASE=$K_VERSION
		[ -z "$(suite_field "$K_SUITE" "${name%=*}" "$K_VERSION" Version 2>/dev/null)" ] ||
			packages+=("$name")
	done
	suite_download "$K_SUITE" "$new/debs" "${packages[@]}"
	for deb in "$new"/debs/*.deb; do
		unpack "$deb" "$tree" "${MODULES_DROPPED[@]/#/--exclude=*/kernel/}"
	done
	rm -r "$new/debs"
	modules=$tree/usr/lib/modules/$K_RELEASE
	cp "$tree/boot/vmlinuz-$K_RELEASE" "$new/vmlinuz" 2>/dev/null ||
		mv "$modules/vmlinuz" "$new/vmlinuz"
	# Decompress the modules once, here, because emulated processors decompress slowly.
	find "$modules" -name '*.ko.xz' -print0 | xargs -0 -r -n 64 -P "$(nproc)" xz -d
	! ninep_needed || ninep_install "$modules/updates"
	kernel_pack "$new"
}

# kernel_compiled_unpack NEW: makes the files of kernel_image in NEW, for a kernel of compiled.sh
kernel_compiled_unpack() # NEW
{
	mkdir -p "$1/tree/usr/lib"
	ln -s usr/lib "$1/tree/lib"
	cp -a "$COMPILED/modules" "$1/tree/usr/lib/"
	cp "$COMPILED/vmlinuz" "$1/"
	kernel_pack "$1"
}

# kernel_pack NEW: makes NEW/modules.ext4 and NEW/initramfs from the modules in NEW/tree, and
# removes NEW/tree
kernel_pack()
{
	local new=$1 tree=$1/tree
	depmod -b "$tree" "$K_RELEASE"
	initramfs_pack "$tree" "$new/initramfs"
	disk_pack "$tree/usr/lib/modules" 8 "$new/modules.ext4"
	rm -r "$tree"
}

# initramfs_pack TREE FILE: makes the initramfs FILE, and copies modules for it from TREE
initramfs_pack() # TREE FILE
{
	local dir=$2.dir name file names=("${MODULES_BOOT[@]}")
	mkdir -p "$dir"/{bin,modules,proc,sys,dev,root}
	cp "$ROOT/usr/bin/busybox" "$dir/bin/"
	cp "$(boot_script)" "$dir/init"
	case ${K_UML:+uml}${K_MACHINE} in
	uml) names=() ;;	# User-Mode Linux has ubd, ext4 and hostfs built in
	s390x) names=("${names[@]:1}") ;;	# without virtio_pci: virtio uses CCW
	esac
	for name in "${names[@]}"; do
		modprobe -d "$1" -S "$K_RELEASE" --show-depends "$name"
	done | awk '$1 == "insmod" && !seen[$2]++ { print $2 }' >"$dir/modules/paths"
	while read -r file; do
		cp "$file" "$dir/modules/"
		echo "${file##*/}"
	done <"$dir/modules/paths" >"$dir/modules/order"
	(cd "$dir" && find . | cpio -o -H newc --quiet) >"$2"
	rm -r "$dir"
}
