// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "core/term.h"
#include "core/rdmap.h"

#define MD (XIW_TERM_M | XIW_TERM_D)
#define MDR (MD | XIW_TERM_R)

#define ROW(name, layer, etype, code, flags, status, event, words, rfc) \
	[XIW_FAULT_##name] = { { layer, etype, code, flags }, XIW_TERM_##status, \
			       XIW_TERM_EV_##event, words, rfc }

const struct xiw_term_row xiw_term_table[XIW_FAULT_COUNT] = {
	ROW(NONE, 0, 0, 0, 0, FATAL, FATAL, "no error", ""),
	ROW(SILENT, 0, 0, 0, XIW_TERM_SILENT, FATAL, FATAL, "closed without an answer", "5040 7.1"),

	ROW(RDMA_LOCAL, 0, 0, 0x00, 0, REM_OP, FATAL,
	    "RDMA: local catastrophic error", "5040 4.8"),
	ROW(RDMA_STAG, 0, 1, 0x00, MDR, REM_ACCESS, ACCESS,
	    "RDMA, remote protection: invalid STag", "5040 4.8"),
	ROW(RDMA_BOUNDS, 0, 1, 0x01, MDR, REM_ACCESS, ACCESS,
	    "RDMA, remote protection: base or bounds violation", "5040 4.8"),
	ROW(RDMA_ACCESS, 0, 1, 0x02, MDR, REM_ACCESS, ACCESS,
	    "RDMA, remote protection: access rights violation", "5040 4.8"),
	ROW(RDMA_NOT_ASSOCIATED, 0, 1, 0x03, MDR, REM_ACCESS, ACCESS,
	    "RDMA, remote protection: STag not associated with RDMAP stream", "5040 4.8"),
	ROW(RDMA_WRAP, 0, 1, 0x04, MDR, REM_ACCESS, ACCESS,
	    "RDMA, remote protection: TO wrap", "5040 4.8"),
	ROW(RDMA_INVALIDATE, 0, 1, 0x09, MD, REM_INV_REQ, REQ,
	    "RDMA, remote protection: STag cannot be invalidated", "5040 4.8"),
	ROW(RDMA_PROTECTION, 0, 1, 0xff, MDR, REM_ACCESS, ACCESS,
	    "RDMA, remote protection: unspecified error", "5040 4.8"),

	ROW(RDMA_VERSION, 0, 2, 0x05, MD, REM_INV_REQ, REQ,
	    "RDMA, remote operation: invalid RDMAP version", "5040 4.8"),
	ROW(RDMA_OPCODE, 0, 2, 0x06, MD, REM_INV_REQ, REQ,
	    "RDMA, remote operation: unexpected opcode", "5040 4.8"),
	ROW(RDMA_STREAM, 0, 2, 0x07, MD, REM_OP, FATAL,
	    "RDMA, remote operation: catastrophic error on this stream", "5040 4.8"),
	ROW(RDMA_GLOBAL, 0, 2, 0x08, MD, REM_OP, FATAL,
	    "RDMA, remote operation: catastrophic error, global", "5040 4.8"),
	ROW(RDMA_INVALIDATE_ALT, 0, 2, 0x09, MD, REM_INV_REQ, REQ,
	    "RDMA, remote operation: STag cannot be invalidated", "5040 4.8"),
	ROW(RDMA_OPERATION, 0, 2, 0xff, MD, REM_OP, FATAL,
	    "RDMA, remote operation: unspecified error", "5040 4.8"),

	ROW(DDP_LOCAL, 1, 0, 0x00, 0, FATAL, FATAL,
	    "DDP: local catastrophic error", "5041 7.2"),
	ROW(DDP_STAG, 1, 1, 0x00, MD, REM_ACCESS, ACCESS,
	    "DDP, tagged buffer: invalid STag", "5041 7.2"),
	ROW(DDP_BOUNDS, 1, 1, 0x01, MD, REM_ACCESS, ACCESS,
	    "DDP, tagged buffer: base or bounds violation", "5041 7.2"),
	ROW(DDP_NOT_ASSOCIATED, 1, 1, 0x02, MD, REM_ACCESS, ACCESS,
	    "DDP, tagged buffer: STag not associated with DDP stream", "5041 7.2"),
	ROW(DDP_WRAP, 1, 1, 0x03, MD, REM_ACCESS, ACCESS,
	    "DDP, tagged buffer: TO wrap", "5041 7.2"),
	ROW(DDP_TAGGED_VERSION, 1, 1, 0x04, MD, REM_ACCESS, ACCESS,
	    "DDP, tagged buffer: invalid DDP version", "5041 7.2"),
	ROW(DDP_QN, 1, 2, 0x01, MD, REM_INV_REQ, REQ,
	    "DDP, untagged buffer: invalid QN", "5041 7.2"),
	ROW(DDP_NO_BUFFER, 1, 2, 0x02, MD, RNR, REQ,
	    "DDP, untagged buffer: invalid MSN, no buffer available", "5041 7.2"),
	ROW(DDP_MSN, 1, 2, 0x03, MD, REM_INV_REQ, REQ,
	    "DDP, untagged buffer: invalid MSN, range not valid", "5041 7.2"),
	ROW(DDP_MO, 1, 2, 0x04, MD, REM_INV_REQ, REQ,
	    "DDP, untagged buffer: invalid MO", "5041 7.2"),
	ROW(DDP_TOO_LONG, 1, 2, 0x05, MD, REM_INV_REQ, REQ,
	    "DDP, untagged buffer: message too long for the buffer", "5041 7.2"),
	ROW(DDP_UNTAGGED_VERSION, 1, 2, 0x06, MD, REM_INV_REQ, REQ,
	    "DDP, untagged buffer: invalid DDP version", "5041 7.2"),

	ROW(LLP_LOST, 2, 0, 0x01, 0, FATAL, FATAL,
	    "MPA: TCP connection closed, terminated or lost", "5044 8"),
	ROW(LLP_CRC, 2, 0, 0x02, 0, FATAL, FATAL,
	    "MPA: CRC mismatch", "5044 8"),
	ROW(LLP_MARKER, 2, 0, 0x03, 0, FATAL, FATAL,
	    "MPA: marker and ULPDU Length disagree", "5044 8"),
	ROW(LLP_STARTUP, 2, 0, 0x04, 0, FATAL, FATAL,
	    "MPA: invalid Request or Reply frame", "5044 8"),
	ROW(LLP_LOCAL, 2, 0, 0x05, 0, FATAL, FATAL,
	    "MPA: local catastrophic error during setup", "6581 8"),
	ROW(LLP_IRD, 2, 0, 0x06, 0, FATAL, FATAL,
	    "MPA: insufficient IRD resources", "6581 8"),
	ROW(LLP_RTR, 2, 0, 0x07, 0, FATAL, FATAL,
	    "MPA: no matching RTR option", "6581 8"),
};

/* Rows for undefined codes, by layer and type. The last row is for all other layers and types. */
static const struct xiw_term_row unknown_table[] = {
	{ { 0, 0, 0, 0 }, XIW_TERM_REM_OP, XIW_TERM_EV_FATAL,
	  "RDMA: local catastrophic error", "5040 4.8" },
	{ { 0, 1, 0, 0 }, XIW_TERM_REM_ACCESS, XIW_TERM_EV_ACCESS,
	  "RDMA, remote protection: unknown code", "5040 4.8" },
	{ { 0, 2, 0, 0 }, XIW_TERM_REM_OP, XIW_TERM_EV_FATAL,
	  "RDMA, remote operation: unknown code", "5040 4.8" },
	{ { 1, 0, 0, 0 }, XIW_TERM_FATAL, XIW_TERM_EV_FATAL,
	  "DDP: local catastrophic error", "5041 7.2" },
	{ { 1, 1, 0, 0 }, XIW_TERM_REM_ACCESS, XIW_TERM_EV_ACCESS,
	  "DDP, tagged buffer: unknown code", "5041 7.2" },
	{ { 1, 2, 0, 0 }, XIW_TERM_REM_INV_REQ, XIW_TERM_EV_REQ,
	  "DDP, untagged buffer: unknown code", "5041 7.2" },
	{ { 2, 0, 0, 0 }, XIW_TERM_FATAL, XIW_TERM_EV_FATAL,
	  "MPA: unknown code", "5044 8" },
	{ { 0, 0, 0, 0 }, XIW_TERM_FATAL, XIW_TERM_EV_FATAL,
	  "unknown layer or error type", "5040 4.8" },
};

enum xiw_fault xiw_term_fault(u8 layer, u8 etype, u8 code)
{
	const struct xiw_term_code *c;
	int i;

	for (i = XIW_FAULT_RDMA_LOCAL; i < XIW_FAULT_COUNT; i++) {
		c = &xiw_term_table[i].code;
		if (c->layer == layer && c->etype == etype && c->code == code)
			return (enum xiw_fault)i;
	}
	return XIW_FAULT_NONE;
}

static const struct xiw_term_row *row_of(u8 layer, u8 etype, u8 code, bool full)
{
	enum xiw_fault fault = xiw_term_fault(layer, etype, code);
	u32 i;

	/*
	 * Some deployed peers swap the nibbles of layer and type. So if the code is undefined, try
	 * the swapped nibbles. The codes 2/0/0x05 to 0x07 are defined, but only for the MPA
	 * negotiation. So after the negotiation, swap their nibbles, too.
	 */
	if (!fault || (full && layer == 2 && etype == 0 && code >= 0x05 && code <= 0x07))
		fault = xiw_term_fault(etype, layer, code);
	if (fault)
		return &xiw_term_table[fault];
	for (i = 0; i < ARRAY_SIZE(unknown_table) - 1; i++)
		if (unknown_table[i].code.layer == layer && unknown_table[i].code.etype == etype)
			break;
	return &unknown_table[i];
}

static u32 ddp_header_len(const u8 *header, u32 have)
{
	u32 len;

	if (!have)
		return 0;
	len = header[XIW_DDP_CTRL_AT] & XIW_DDP_T ? XIW_DDP_TAGGED_LEN : XIW_DDP_UNTAGGED_LEN;
	return len <= have ? len : 0;
}

static bool is_read_request(const u8 *header, u32 ddp_len, u32 have)
{
	return ddp_len == XIW_DDP_UNTAGGED_LEN && have >= ddp_len + XIW_READ_REQ_LEN &&
	       (header[XIW_DDP_RDMAP_CTRL_AT] & XIW_RDMAP_OPCODE_MASK) == XIW_OP_READ_REQUEST;
}

u32 xiw_term_build(u8 *out, struct xiw_term_code code, const u8 *header, u32 header_len,
		   u32 ulpdu_len)
{
	enum xiw_fault fault = xiw_term_fault(code.layer, code.etype, code.code);
	/* the Terminate of an undefined code contains no headers */
	u8 allowed = xiw_term_table[fault].code.flags;
	u32 ddp_len = header ? ddp_header_len(header, header_len) : 0;
	u32 at = XIW_TERM_LEN_MIN;
	u8 flags = 0;

	if (ddp_len && allowed & XIW_TERM_D) {
		flags = MD;
		if (allowed & XIW_TERM_R && is_read_request(header, ddp_len, header_len))
			flags |= XIW_TERM_R;
	}
	out[0] = code.layer << 4 | code.etype;
	out[1] = code.code;
	out[2] = flags;
	out[3] = 0;
	if (!flags)
		return at;
	put_unaligned_be16(ulpdu_len, out + at);
	at += XIW_TERM_SEGLEN_LEN;
	if (flags & XIW_TERM_R)
		ddp_len += XIW_READ_REQ_LEN;
	memcpy(out + at, header, ddp_len);
	return at + ddp_len;
}

void xiw_term_advance(u8 *read_hdr, u32 done)
{
	struct xiw_read_req req;

	xiw_read_req_get(&req, read_hdr);
	req.sink_to += done;
	req.src_to += done;
	req.size -= done;
	xiw_read_req_put(read_hdr, &req);
}

bool xiw_term_parse(struct xiw_term_info *info, const u8 *msg, u32 len, bool full)
{
	u32 at = XIW_TERM_LEN_MIN;
	u32 ddp_len;

	memset(info, 0, sizeof(*info));
	if (len < XIW_TERM_LEN_MIN)
		return false;
	info->code.layer = msg[0] >> 4;
	info->code.etype = msg[0] & 0xf;
	info->code.code = msg[1];
	info->row = row_of(info->code.layer, info->code.etype, info->code.code, full);
	if (!(msg[2] & MD) || len < at + XIW_TERM_SEGLEN_LEN)
		return true;
	if (msg[2] & XIW_TERM_M) {
		info->code.flags |= XIW_TERM_M;
		info->seg_len = get_unaligned_be16(msg + at);
	}
	at += XIW_TERM_SEGLEN_LEN;
	ddp_len = msg[2] & XIW_TERM_D ? ddp_header_len(msg + at, len - at) : 0;
	if (!ddp_len)
		return true;
	info->code.flags |= XIW_TERM_D;
	info->ddp_hdr = msg + at;
	info->ddp_hdr_len = ddp_len;
	at += ddp_len;
	if (msg[2] & XIW_TERM_R && len - at >= XIW_READ_REQ_LEN) {
		info->code.flags |= XIW_TERM_R;
		info->read_hdr = msg + at;
	}
	return true;
}
