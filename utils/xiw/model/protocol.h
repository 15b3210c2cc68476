/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * The door to the tables of driver/core. Only protocol.c includes the core's
 * headers: outside the kernel these need stand-ins for kernel headers, which must
 * not meet the real ones that netlink code includes.
 */
#ifndef XIW_MODEL_PROTOCOL_H
#define XIW_MODEL_PROTOCOL_H

#ifdef __cplusplus
extern "C" {
#endif

/* Name of an RDMAP opcode, NULL if no RFC defines it. */
const char *xiw_protocol_opcode(unsigned int opcode);

/* Names of states of the MPA startup and of a stream, NULL if there is no such. */
const char *xiw_protocol_mpa_state(unsigned int state);
const char *xiw_protocol_stream_state(unsigned int state);

/* What a Terminate code means, and the RFC and section for it; NULL if undefined. */
const char *xiw_protocol_terminate(unsigned int layer, unsigned int etype, unsigned int code,
				   const char **rfc);

#ifdef __cplusplus
}
#endif

#endif
