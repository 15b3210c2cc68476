// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "core/number.h"

/* Offsets of fields in the private data. Octets 6 and 7 are reserved. */
#define NUMBER_VERSION_AT 4
#define NUMBER_KIND_AT 5
#define NUMBER_SOURCE_AT 8
#define NUMBER_DESTINATION_AT 12

void xiw_number_put(u8 *octets, const struct xiw_number *number)
{
	memset(octets, 0, XIW_NUMBER_LEN);
	put_unaligned_be32(XIW_NUMBER_MAGIC, octets);
	octets[NUMBER_VERSION_AT] = XIW_NUMBER_VERSION;
	octets[NUMBER_KIND_AT] = number->kind;
	put_unaligned_be32(number->source, octets + NUMBER_SOURCE_AT);
	put_unaligned_be32(number->destination, octets + NUMBER_DESTINATION_AT);
}

bool xiw_number_get(struct xiw_number *number, const u8 *octets, u32 length)
{
	if (length != XIW_NUMBER_LEN || get_unaligned_be32(octets) != XIW_NUMBER_MAGIC ||
	    octets[NUMBER_VERSION_AT] != XIW_NUMBER_VERSION)
		return false;
	number->kind = octets[NUMBER_KIND_AT];
	number->source = get_unaligned_be32(octets + NUMBER_SOURCE_AT);
	number->destination = get_unaligned_be32(octets + NUMBER_DESTINATION_AT);
	return true;
}

int xiw_number_order(const u8 *gid, u32 qpn, const u8 *peer_gid, u32 peer_qpn)
{
	int order = memcmp(gid, peer_gid, XIW_NUMBER_GID_LEN);

	if (order)
		return order;
	return (qpn > peer_qpn) - (qpn < peer_qpn);
}
