/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
#ifndef XIW_COMPAT_NETLINK_H
#define XIW_COMPAT_NETLINK_H

#include <net/genetlink.h>
#include <net/netlink.h>

/**
 * xiw_genl_dump_attrs() - get the parsed attributes of a dump request
 * @cb: the dump in progress
 *
 * Return: the attributes, indexed by the types of the family's policy.
 */
static inline struct nlattr **xiw_genl_dump_attrs(struct netlink_callback *cb)
{
#ifdef HAVE_GENL_INFO_DUMP
	return genl_info_dump(cb)->attrs;
#else
	return genl_dumpit_info(cb)->attrs;
#endif
}

#ifndef HAVE_NLA_CONST_RANGE
/* ynl generates const ranges. The cast is safe, because the kernel only reads the ranges. */
#undef NLA_POLICY_FULL_RANGE
#define NLA_POLICY_FULL_RANGE(tp, _range) {				\
	.type = NLA_ENSURE_UINT_OR_BINARY_TYPE(tp),			\
	.validation_type = NLA_VALIDATE_RANGE_PTR,			\
	.range = (struct netlink_range_validation *)(_range),		\
}
#endif

#endif
