/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * CRC32C of MPA (RFC 5044 §4.4). The initial value and the final XOR are all ones; the low octet
 * is sent first.
 */
#ifndef XIW_CORE_CRC32C_H
#define XIW_CORE_CRC32C_H

#include <linux/crc32c.h>
#include "core/wire.h"

/* value of the register after an intact FPDU with its CRC field */
#define XIW_CRC32C_RESIDUE 0xb798b438U

/**
 * xiw_crc32c_begin - get the initial register value
 *
 * Return: the seed for xiw_crc32c_update().
 */
static inline u32 xiw_crc32c_begin(void)
{
	return ~0U;
}

/**
 * xiw_crc32c_update - update the register with octets
 * @crc: register value before these octets
 * @p: octets
 * @len: number of octets; may be 0
 *
 * Context: any. The version with the CPU's CRC instruction does not use the FPU.
 *
 * Return: new register value.
 */
u32 xiw_crc32c_update(u32 crc, const void *p, size_t len);

/**
 * xiw_crc32c_copy - copy octets and update the register with them
 * @crc: register value before these octets
 * @out: destination, @len octets that do not overlap @from
 * @from: source; the CRC covers the octets written to @out, even if another task changes @from
 * @len: number of octets; may be 0
 *
 * Context: any; see xiw_crc32c_update().
 *
 * Return: new register value.
 */
u32 xiw_crc32c_copy(u32 crc, void *out, const void *from, size_t len);

/**
 * xiw_crc32c_finish - compute the 32-bit result
 * @crc: register after the last octet
 *
 * Return: CRC as an integer; its low octet is sent first.
 */
static inline u32 xiw_crc32c_finish(u32 crc)
{
	return ~crc;
}

/**
 * xiw_crc32c_put - write the CRC field of an FPDU
 * @out: XIW_CRC_LEN octets
 * @crc: register after ULPDU Length, ULPDU, markers and pad
 *
 * DEC-49: least significant octet first.
 */
static inline void xiw_crc32c_put(u8 *out, u32 crc)
{
	put_unaligned_le32(xiw_crc32c_finish(crc), out);
}

/**
 * xiw_crc32c_matches - check the CRC field of an FPDU
 * @field: XIW_CRC_LEN octets as received
 * @crc: register after all octets before the field
 *
 * Return: true if the FPDU is intact.
 */
static inline bool xiw_crc32c_matches(const u8 *field, u32 crc)
{
	return get_unaligned_le32(field) == xiw_crc32c_finish(crc);
}

#endif
