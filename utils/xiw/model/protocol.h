/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Access to the tables of driver/core. Only protocol.c includes the core's headers. Outside the
 * kernel they need substitutes for kernel headers, which conflict with the real ones that netlink
 * code includes.
 */
#ifndef XIW_MODEL_PROTOCOL_H
#define XIW_MODEL_PROTOCOL_H

#ifdef __cplusplus
extern "C" {
#else
#include <stdbool.h>
#endif

/* Name of an RDMAP opcode, NULL if no RFC defines it. */
const char *xiw_protocol_opcode(unsigned int opcode);

/* A Terminate code: its meaning, its definition, and its effect on the receiver. */
struct xiw_protocol_code {
	unsigned int layer, etype, code;
	const char *words;
	const char *rfc;	/* "5040 4.8" */
	const char *status;	/* work completion status of the request that it names */
	const char *event;	/* of the QP */
};

/* False if no RFC defines the code. */
bool xiw_protocol_terminate(unsigned int layer, unsigned int etype, unsigned int code,
			    struct xiw_protocol_code *out);
/* Get the rows, from row 0; false after the last one. */
bool xiw_protocol_terminate_row(unsigned int row, struct xiw_protocol_code *out);

#ifdef __cplusplus
}
#endif

#endif
