/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Access to the tables of driver/core. In this folder, only protocol.c includes the core's headers.
 * Outside the kernel, the core's headers need substitutes for kernel headers. These substitutes
 * conflict with the real kernel headers that the netlink code includes.
 */
#ifndef XIW_MODEL_PROTOCOL_H
#define XIW_MODEL_PROTOCOL_H

#ifdef __cplusplus
extern "C" {
#else
#include <stdbool.h>
#endif

/* Get the name of an RDMAP opcode; NULL if the opcode is undefined. */
const char *xiw_protocol_opcode(unsigned int opcode);
/* Returns true if a message of this opcode has an immediate in the header field for an STag. */
bool xiw_protocol_immediate(unsigned int opcode);

/* A Terminate code: its meaning, its definition, and its effect on the receiver. */
struct xiw_protocol_code {
	unsigned int layer, etype, code;
	const char *words;
	const char *rfc;	/* RFC and section: "5040 4.8" */
	const char *status;	/* completion status of the request to which the Terminate refers */
	const char *event;	/* event of the QP */
};

/* Explain a code. Returns false if no RFC defines it. */
bool xiw_protocol_terminate(unsigned int layer, unsigned int etype, unsigned int code,
			    struct xiw_protocol_code *out);
/* Get a row of the table of codes; the first row is row 0. Returns false after the last row. */
bool xiw_protocol_terminate_row(unsigned int row, struct xiw_protocol_code *out);

#ifdef __cplusplus
}
#endif

#endif
