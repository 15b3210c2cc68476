// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "device.h"

#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <rdma/ib_verbs.h>

#include "buffer.h"
#include "names.h"
#include "session.h"
#include "srq.h"

struct known_device {
	struct list_head node;
	struct ib_device *ib;
	struct ib_event_handler handler;
	unsigned long events;	/* bit N: event N of enum ib_event_type has occurred */
};

static LIST_HEAD(known_devices);
static DEFINE_MUTEX(known_lock);

static void device_event(struct ib_event_handler *handler, struct ib_event *event)
{
	struct known_device *known = container_of(handler, struct known_device, handler);

	if (event->event < BITS_PER_TYPE(known->events))
		set_bit(event->event, &known->events);
}

int xt_device_added(struct ib_device *ib)
{
	struct known_device *known = kzalloc(sizeof(*known), GFP_KERNEL);

	if (!known)
		return -ENOMEM;
	known->ib = ib;
	mutex_lock(&known_lock);
	list_add_tail(&known->node, &known_devices);
	mutex_unlock(&known_lock);
	ib_set_client_data(ib, &xt_client, known);
	INIT_IB_EVENT_HANDLER(&known->handler, ib, device_event);
	ib_register_event_handler(&known->handler);
	return 0;
}

/* Remove the device from the list of known devices. After this, no session can start to use it. */
void xt_device_removed(struct ib_device *ib)
{
	struct known_device *known = ib_get_client_data(ib, &xt_client);

	ib_unregister_event_handler(&known->handler);
	ib_set_client_data(ib, &xt_client, NULL);
	mutex_lock(&known_lock);
	list_del(&known->node);
	mutex_unlock(&known_lock);
	kfree(known);
}

/*
 * Get the session's struct xt_dev of a device, and create it on first use. The caller has a cm_id
 * that is bound to the device, or holds known_lock. Fail with ENODEV if the device is being
 * removed, because the session would never destroy the new objects.
 */
struct xt_dev *xt_device_get(struct xt_session *s, struct ib_device *ib)
{
	struct xt_dev *d;

	if (!ib || !ib_get_client_data(ib, &xt_client))
		return ERR_PTR(-ENODEV);
	list_for_each_entry(d, &s->devs, node)
		if (d->ib == ib)
			return d;
	d = kzalloc(sizeof(*d), GFP_KERNEL);
	if (!d)
		return ERR_PTR(-ENOMEM);
	d->s = s;
	d->ib = ib;
	spin_lock_init(&d->srq_lock);
	INIT_LIST_HEAD(&d->srq_wrs);
	list_add_tail(&d->node, &s->devs);
	return d;
}

struct ib_pd *xt_device_pd(struct xt_dev *d, unsigned int index)
{
	struct ib_pd *pd;

	if (index >= XT_PDS)
		return ERR_PTR(-EINVAL);
	if (d->pd[index])
		return d->pd[index];
	pd = ib_alloc_pd(d->ib, index == XT_PD_GLOBAL ? IB_PD_UNSAFE_GLOBAL_RKEY : 0);
	if (IS_ERR(pd))
		return pd;
	d->pd[index] = pd;
	xt_born(XT_PD);
	return pd;
}

static void device_free(struct xt_dev *d)
{
	int i;

	xt_srq_destroy(d);
	for (i = 0; i < XT_PDS; i++) {
		if (!d->pd[i])
			continue;
		ib_dealloc_pd(d->pd[i]);
		xt_died(XT_PD);
	}
	list_del(&d->node);
	kfree(d);
}

bool xt_devices_use(struct xt_session *s, struct ib_device *ib)
{
	struct xt_dev *d;

	list_for_each_entry(d, &s->devs, node)
		if (d->ib == ib)
			return true;
	return false;
}

/* Destroy the session's struct xt_dev of one device, or of all devices if ib is NULL. */
void xt_devices_destroy(struct xt_session *s, struct ib_device *ib)
{
	struct xt_dev *d, *next;

	xt_maps_forget(s, ib);
	list_for_each_entry_safe(d, next, &s->devs, node)
		if (!ib || d->ib == ib)
			device_free(d);
}

static void say_device(struct xt_session *s, struct ib_device *ib)
{
	const struct ib_device_attr *attr = &ib->attrs;
	char atomic[16], masked[16];

	xt_say(s, " dev=%s iwarp=%d comp_vectors=%d atomic=%s masked_atomic=%s", ib->name,
	       rdma_protocol_iwarp(ib, 1), ib->num_comp_vectors,
	       xt_atomic_cap_name(attr->atomic_cap, atomic, sizeof(atomic)),
	       xt_atomic_cap_name(attr->masked_atomic_cap, masked, sizeof(masked)));
	xt_say(s, " mem_mgt=%d local_dma_lkey=%d virt_dma=%d read_inv=%d",
	       !!(attr->device_cap_flags & IB_DEVICE_MEM_MGT_EXTENSIONS),
	       !!(attr->kernel_cap_flags & IBK_LOCAL_DMA_LKEY), ib_uses_virt_dma(ib),
	       rdma_cap_read_inv(ib, 1));
	xt_say(s, " max_qp=%d max_qp_wr=%d max_cqe=%d max_mr=%d max_send_sge=%d max_recv_sge=%d",
	       attr->max_qp, attr->max_qp_wr, attr->max_cqe, attr->max_mr, attr->max_send_sge,
	       attr->max_recv_sge);
	xt_say(s, " max_qp_rd_atom=%d max_qp_init_rd_atom=%d max_srq=%d max_srq_wr=%d max_pages=%u",
	       attr->max_qp_rd_atom, attr->max_qp_init_rd_atom, attr->max_srq, attr->max_srq_wr,
	       attr->max_fast_reg_page_list_len);
}

static void say_events(struct xt_session *s, unsigned long events)
{
	const char *comma = "";
	unsigned int i;
	char name[24];

	xt_say(s, " events=");
	for_each_set_bit(i, &events, BITS_PER_TYPE(events)) {
		xt_say(s, "%s%s", comma, xt_ib_event_name(i, name, sizeof(name)));
		comma = ",";
	}
}

/* Get the session's struct xt_dev of the device with this name. */
struct xt_dev *xt_device_named(struct xt_session *s, const char *name)
{
	struct xt_dev *d = ERR_PTR(-ENODEV);
	struct known_device *known;

	/*
	 * The removal of a device takes known_lock before it destroys objects of sessions. So a
	 * device in the list is valid here, and its removal also destroys the new struct xt_dev.
	 */
	mutex_lock(&known_lock);
	list_for_each_entry(known, &known_devices, node)
		if (!strcmp(known->ib->name, name))
			d = xt_device_get(s, known->ib);
	mutex_unlock(&known_lock);
	return d;
}

int xt_devinfo_command(struct xt_session *s, struct xt_args *a)
{
	const char *name = xt_arg_str(a, "dev", "");
	struct known_device *known;
	int err = -ENODEV;

	mutex_lock(&known_lock);
	list_for_each_entry(known, &known_devices, node) {
		if (strcmp(known->ib->name, name))
			continue;
		say_device(s, known->ib);
		say_events(s, READ_ONCE(known->events));
		err = 0;
		break;
	}
	mutex_unlock(&known_lock);
	return err;
}
