// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * A port is a listener for peers that are named by number. A port keeps the Requests of these peers
 * as offers. A responder takes the offer of its peer. If no responder takes an offer, the driver
 * refuses the offer when its time limit expires, when the same peer sends a newer Request, or when
 * the port is destroyed. The initiator then tries again.
 */
#include <linux/slab.h>
#include <rdma/ib_addr.h>

#include "cm/cm.h"
#include "cm/peer.h"
#include "core/number.h"
#include "xiw.h"

#define XIW_PORT_BACKLOG 256
#define XIW_PORT_OFFERS 256		/* max offers; doubled for an offer that a QP expects */
#define XIW_PORT_OFFER_TIME msecs_to_jiffies(XIW_PEER_OFFER_MS)

struct xiw_peer_port {
	struct list_head node;		/* in xiw_device.peer_ports */
	unsigned int users;		/* number of responders; protected by peer_lock */
	struct xiw_device *dev;
	union ib_gid gid;
	struct iw_cm_id cm_id;		/* id of this port, passed to the listener */
	spinlock_t lock;		/* protects the members below */
	struct list_head offers;	/* newest first */
	u32 count;
	struct delayed_work work;
};

struct xiw_peer_offer {
	struct list_head node;
	void *id;			/* id of the connection, from xiw_conn_id() */
	struct xiw_number number;	/* number.source is the QP of the initiator */
	union ib_gid gid;		/* address of the initiator */
	unsigned long until;		/* time limit in jiffies */
};

static struct xiw_peer_port *xiw_peer_port_of_id(struct iw_cm_id *cm_id)
{
	return container_of(cm_id, struct xiw_peer_port, cm_id);
}

/* The port outlives its listener, so no reference is needed. */
static void xiw_peer_port_ref(struct iw_cm_id *cm_id)
{
}

static bool xiw_peer_offer_is_of(const struct xiw_peer_offer *offer, u32 qpn, u32 peer_qpn,
				 const union ib_gid *peer_gid)
{
	return offer->number.destination == qpn && offer->number.source == peer_qpn &&
	       !memcmp(&offer->gid, peer_gid, sizeof(*peer_gid));
}

/*
 * Reject an offer that no responder has taken, and free the offer. If the connection of the offer
 * no longer exists, the peer gets no answer. Process context.
 */
static void xiw_peer_offer_refuse(struct xiw_peer_port *port, struct xiw_peer_offer *offer)
{
	struct xiw_number number = {
		.kind = XIW_NUMBER_REFUSE,
		.source = offer->number.destination,
		.destination = offer->number.source,
	};
	u8 octets[XIW_NUMBER_LEN];

	xiw_number_put(octets, &number);
	xiw_cm_reject(port->dev, offer->id, octets, sizeof(octets));
	kfree(offer);
}

/* Refuse the offers whose time limit has expired, or all offers if @all is true. */
static void xiw_peer_port_expire(struct xiw_peer_port *port, bool all)
{
	struct xiw_peer_offer *offer, *next;
	unsigned long now = jiffies;
	LIST_HEAD(over);

	spin_lock_bh(&port->lock);
	list_for_each_entry_safe(offer, next, &port->offers, node) {
		if (!all && time_before(now, offer->until))
			continue;
		list_move_tail(&offer->node, &over);
		port->count--;
	}
	spin_unlock_bh(&port->lock);
	list_for_each_entry_safe(offer, next, &over, node)
		xiw_peer_offer_refuse(port, offer);
}

static void xiw_peer_port_work(struct work_struct *work)
{
	struct xiw_peer_port *port = container_of(to_delayed_work(work), struct xiw_peer_port,
						  work);
	struct xiw_peer_offer *offer;
	unsigned long next = 0;

	xiw_peer_port_expire(port, false);
	spin_lock_bh(&port->lock);
	list_for_each_entry(offer, &port->offers, node)
		if (!next || time_before(offer->until, next))
			next = offer->until ?: 1;
	/* A new offer may already have queued the work item, with a longer delay. */
	if (next)
		mod_delayed_work(port->dev->wq, &port->work,
				 time_after(next, jiffies) ? next - jiffies : 0);
	spin_unlock_bh(&port->lock);
}

/*
 * Add an offer to a port. The new offer replaces earlier offers of the same peer. Half of the room
 * is only for offers that a QP expects. Return: false if there is no room.
 */
static bool xiw_peer_port_add(struct xiw_peer_port *port, struct xiw_peer_offer *offer)
{
	bool expected = xiw_peer_expects(port->dev, port, &offer->number, &offer->gid), room;
	unsigned long now = jiffies, delay = XIW_PORT_OFFER_TIME;
	struct xiw_peer_offer *other;
	u32 replaced = 0;

	offer->until = now + XIW_PORT_OFFER_TIME;
	spin_lock_bh(&port->lock);
	list_for_each_entry(other, &port->offers, node) {
		if (!xiw_peer_offer_is_of(other, offer->number.destination, offer->number.source,
					  &offer->gid))
			continue;
		replaced += time_after(other->until, now);
		other->until = now;
		delay = 0;
	}
	room = port->count < XIW_PORT_OFFERS + replaced ||
	       (expected && port->count < 2 * XIW_PORT_OFFERS);
	if (room) {
		/*
		 * Insert at the head, because xiw_peer_port_take() takes the first offer of a peer.
		 */
		list_add(&offer->node, &port->offers);
		port->count++;
	}
	if (delay)
		queue_delayed_work(port->dev->wq, &port->work, delay);
	else
		mod_delayed_work(port->dev->wq, &port->work, 0);
	spin_unlock_bh(&port->lock);
	return room;
}

void *xiw_peer_port_take(struct xiw_peer_port *port, const struct xiw_peer *peer, u32 qpn)
{
	struct xiw_peer_offer *offer;
	void *id = NULL;

	spin_lock_bh(&port->lock);
	list_for_each_entry(offer, &port->offers, node) {
		if (!xiw_peer_offer_is_of(offer, qpn, peer->qpn, &peer->gid))
			continue;
		list_del(&offer->node);
		port->count--;
		id = offer->id;
		break;
	}
	spin_unlock_bh(&port->lock);
	if (id)
		kfree(offer);
	return id;
}

/*
 * Handle a Request. Softirq, from vector 0. Return: 0; or an errno, and the caller rejects the
 * Request.
 */
static int xiw_peer_port_request(struct xiw_peer_port *port, const struct iw_cm_event *event)
{
	struct xiw_peer_offer *offer;
	struct xiw_number number;

	if (!xiw_number_get(&number, event->private_data, event->private_data_len) ||
	    number.kind != XIW_NUMBER_OPEN)
		return -EPROTO;
	offer = kzalloc(sizeof(*offer), GFP_ATOMIC);
	if (!offer)
		return -ENOMEM;
	offer->id = event->provider_data;
	offer->number = number;
	rdma_ip2gid((struct sockaddr *)&event->remote_addr, &offer->gid);
	if (!xiw_peer_port_add(port, offer)) {
		kfree(offer);
		return -EBUSY;
	}
	xiw_peer_wake(port->dev, number.destination);
	return 0;
}

static int xiw_peer_port_event(struct iw_cm_id *cm_id, struct iw_cm_event *event)
{
	if (event->event != IW_CM_EVENT_CONNECT_REQUEST)
		return 0;
	return xiw_peer_port_request(xiw_peer_port_of_id(cm_id), event);
}

/* Create the port of an address, and listen. peer_lock is held. Return: the port or ERR_PTR. */
static struct xiw_peer_port *xiw_peer_port_new(struct xiw_device *dev, const union ib_gid *gid)
{
	struct xiw_peer_port *port = kzalloc(sizeof(*port), GFP_NOIO);
	int err;

	if (!port)
		return ERR_PTR(-ENOMEM);
	port->dev = dev;
	port->gid = *gid;
	spin_lock_init(&port->lock);
	INIT_LIST_HEAD(&port->offers);
	INIT_DELAYED_WORK(&port->work, xiw_peer_port_work);
	port->cm_id.device = &dev->ibdev;
	port->cm_id.event_handler = xiw_peer_port_event;
	port->cm_id.add_ref = xiw_peer_port_ref;
	port->cm_id.rem_ref = xiw_peer_port_ref;
	err = xiw_peer_address(dev, gid, XIW_NUMBER_PORT, &port->cm_id.local_addr);
	port->cm_id.m_local_addr = port->cm_id.local_addr;
	if (!err)
		err = xiw_listener_open(&port->cm_id, XIW_PORT_BACKLOG, XIW_SHARE_NOBODY, true);
	if (err) {
		kfree(port);
		return ERR_PTR(err);
	}
	list_add(&port->node, &dev->peer_ports);
	return port;
}

struct xiw_peer_port *xiw_peer_port_get(struct xiw_device *dev, const union ib_gid *gid)
{
	struct xiw_peer_port *port;

	mutex_lock(&dev->peer_lock);
	list_for_each_entry(port, &dev->peer_ports, node)
		if (!memcmp(&port->gid, gid, sizeof(*gid)))
			goto found;
	port = xiw_peer_port_new(dev, gid);
	if (IS_ERR(port))
		goto unlock;
found:
	port->users++;
unlock:
	mutex_unlock(&dev->peer_lock);
	return port;
}

void xiw_peer_port_put(struct xiw_peer_port *port)
{
	struct xiw_device *dev = port->dev;

	mutex_lock(&dev->peer_lock);
	if (!--port->users) {
		list_del(&port->node);
		/* After this call, no offer arrives. */
		xiw_iw_destroy_listen(&port->cm_id);
		cancel_delayed_work_sync(&port->work);
		xiw_peer_port_expire(port, true);
		kfree(port);
	}
	mutex_unlock(&dev->peer_lock);
}
