// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "soft/congestion.h"

#include <linux/net.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <net/net_namespace.h>
#include <net/tcp.h>

#include "ring/rnic.h"

static_assert(sizeof_field(struct xiw_rnic, congestion) == TCP_CA_NAME_MAX);
static_assert(sizeof_field(struct xiw_rnic_tcp, congestion) == TCP_CA_NAME_MAX);

/* Protects congestion and congestion_keeper of all RNICs. */
static DEFINE_SPINLOCK(names);

static int set_name(struct socket *sock, char *name)
{
	return READ_ONCE(sock->ops)->setsockopt(sock, SOL_TCP, TCP_CONGESTION,
						KERNEL_SOCKPTR(name), strlen(name));
}

/*
 * Create a socket with the congestion control @name. TCP checks the name, and loads the module if
 * necessary. The socket holds a reference on the module, so later calls of set_name() load no
 * module.
 */
static int keeper_create(char *name, struct socket **out)
{
	struct socket *sock;
	int err;

	err = sock_create_kern(&init_net, PF_INET, SOCK_STREAM, IPPROTO_TCP, &sock);
	if (err)
		return err;
	err = set_name(sock, name);
	if (err)
		sock_release(sock);
	else
		*out = sock;
	return err;
}

static void replace(struct xiw_rnic *rnic, const char *name, struct socket *keeper)
{
	spin_lock(&names);
	strscpy(rnic->congestion, name, sizeof(rnic->congestion));
	swap(rnic->congestion_keeper, keeper);
	spin_unlock(&names);
	if (keeper)
		sock_release(keeper);
}

int xiw_soft_congestion_choose(struct xiw_rnic *rnic, char *name)
{
	struct socket *keeper = NULL;
	int err = *name ? keeper_create(name, &keeper) : 0;

	if (!err)
		replace(rnic, name, keeper);
	return err;
}

void xiw_soft_congestion_end(struct xiw_rnic *rnic)
{
	replace(rnic, "", NULL);
}

/*
 * Clear the name of a congestion control that TCP no longer has, unless another name has been
 * chosen since.
 */
static void forget(struct xiw_rnic *rnic, const char *name)
{
	spin_lock(&names);
	if (!strcmp(rnic->congestion, name))
		*rnic->congestion = '\0';
	spin_unlock(&names);
}

void xiw_soft_congestion_set(struct xiw_rnic *rnic, struct socket *sock)
{
	char name[TCP_CA_NAME_MAX];

	spin_lock(&names);
	strscpy(name, rnic->congestion, sizeof(name));
	spin_unlock(&names);
	/* A congestion control in BPF can be unregistered while the keeper still uses it. */
	if (*name && set_name(sock, name) == -ENOENT)
		forget(rnic, name);
}
