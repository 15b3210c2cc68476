// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * MPA negotiation.
 *
 * In both revisions, CRCs are on if either end requests CRCs, and an end receives markers if it
 * requests markers.
 *
 * With the enhanced fields (RFC 6581 §9), the ORD of an end never exceeds the peer's IRD. A
 * responder sets its IRD to the peer's ORD. An initiator increases its IRD to the peer's ORD if the
 * peer's ORD is higher. The limit of the device applies to both IRDs. These rules do not apply to a
 * field with the value 0x3fff. This value means that the ULPs negotiate the depth. If the ends
 * cannot agree, the initiator sends a Terminate. A responder rejects a Request only if the
 * responder insists on its own ORD (xiw_mpa_config.strict, DEC-54).
 *
 * Without the enhanced fields, each end chooses its own IRD and ORD.
 */
#include "core/mpa.h"

static const u8 rtr_preference[] = { XIW_RTR_WRITE, XIW_RTR_READ, XIW_RTR_SEND };

static u8 preferred_rtr(u8 kinds)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(rtr_preference); i++)
		if (kinds & rtr_preference[i])
			return rtr_preference[i];
	return 0;
}

static void agree_common(struct xiw_mpa_agreed *agreed, const struct xiw_mpa_frame *peer,
			 const struct xiw_mpa_config *cfg)
{
	memset(agreed, 0, sizeof(*agreed));
	agreed->rev = peer->rev;
	agreed->crc = peer->crc || cfg->crc;
	agreed->tx_markers = peer->markers;
	agreed->rx_markers = cfg->markers;
	agreed->enhanced = peer->enhanced;
	agreed->ird = cfg->ird;
	agreed->ord = cfg->ord;
	agreed->peer_ird = peer->ird;
	agreed->peer_ord = peer->ord;
}

static u8 reply_rtr(const struct xiw_mpa_frame *req, const struct xiw_mpa_config *cfg)
{
	u8 common = cfg->rtr & req->rtr;

	/* without a common form, offer all forms of this end; the initiator decides (DEC-55) */
	return common ? common : cfg->rtr;
}

static void reply_common(struct xiw_mpa_frame *rep, const struct xiw_mpa_frame *req,
			 const struct xiw_mpa_config *cfg)
{
	memset(rep, 0, sizeof(*rep));
	rep->kind = XIW_MPA_REPLY;
	rep->rev = req->rev;
	rep->markers = cfg->markers;
	rep->crc = req->crc || cfg->crc;
	rep->enhanced = req->enhanced;
	rep->p2p = req->p2p;
	rep->rtr = req->p2p ? reply_rtr(req, cfg) : 0;
	rep->ird = cfg->ird;
	rep->ord = cfg->ord;
}

void xiw_mpa_request(struct xiw_mpa_frame *req, const struct xiw_mpa_config *cfg)
{
	memset(req, 0, sizeof(*req));
	req->kind = XIW_MPA_REQUEST;
	req->rev = cfg->rev;
	req->markers = cfg->markers;
	req->crc = cfg->crc;
	req->ird = XIW_MPA_DEPTH_NONE;
	req->ord = XIW_MPA_DEPTH_NONE;
	req->enhanced = cfg->rev >= 2;
	if (!req->enhanced)
		return;
	req->ird = cfg->ird;
	req->ord = cfg->ord;
	req->p2p = cfg->p2p;
	req->rtr = cfg->p2p ? cfg->rtr : 0;
}

enum xiw_mpa_outcome xiw_mpa_respond(struct xiw_mpa_frame *rep, struct xiw_mpa_agreed *agreed,
				     const struct xiw_mpa_frame *req,
				     const struct xiw_mpa_config *cfg)
{
	reply_common(rep, req, cfg);
	agree_common(agreed, req, cfg);
	if (req->rev > cfg->rev)
		return XIW_MPA_CLOSE;
	if (!req->enhanced)
		return XIW_MPA_OPEN;

	agreed->p2p = rep->p2p;
	agreed->rtr = rep->rtr;
	if (req->ird == XIW_MPA_DEPTH_NONE) {
		rep->ord = XIW_MPA_DEPTH_NONE;
	} else {
		if (cfg->strict && cfg->ord > req->ird) {
			rep->reject = true;
			return XIW_MPA_REJECTED;
		}
		agreed->ord = min(cfg->ord, req->ird);
		rep->ord = agreed->ord;
	}
	if (req->ord != XIW_MPA_DEPTH_NONE)
		agreed->ird = min(req->ord, cfg->max_ird);
	/* DEC-57: a Read as RTR needs an IRD entry */
	if (agreed->rtr & XIW_RTR_READ && !agreed->ird)
		agreed->ird = 1;
	rep->ird = req->ord == XIW_MPA_DEPTH_NONE ? XIW_MPA_DEPTH_NONE : agreed->ird;
	return XIW_MPA_OPEN;
}

void xiw_mpa_reject(struct xiw_mpa_frame *rep, const struct xiw_mpa_frame *req,
		    const struct xiw_mpa_config *cfg)
{
	reply_common(rep, req, cfg);
	rep->reject = true;
}

/*
 * Compute IRD and ORD of the initiator. Return: false if the peer's ORD exceeds the limit of the
 * initiator's IRD.
 */
static bool conclude_depths(struct xiw_mpa_agreed *agreed, const struct xiw_mpa_frame *rep,
			    const struct xiw_mpa_config *cfg)
{
	if (rep->ird != XIW_MPA_DEPTH_NONE)
		agreed->ord = min(cfg->ord, rep->ird);
	if (rep->ord != XIW_MPA_DEPTH_NONE) {
		if (rep->ord > max(cfg->ird, cfg->max_ird))
			return false;
		agreed->ird = max(cfg->ird, rep->ord);
	}
	return true;
}

enum xiw_mpa_outcome xiw_mpa_conclude(struct xiw_mpa_agreed *agreed, enum xiw_fault *fault,
				      const struct xiw_mpa_frame *req,
				      const struct xiw_mpa_frame *rep,
				      const struct xiw_mpa_config *cfg)
{
	*fault = XIW_FAULT_NONE;
	agree_common(agreed, rep, cfg);
	if (rep->rev > req->rev || rep->enhanced != req->enhanced)
		return XIW_MPA_CLOSE;
	if (rep->reject)
		return XIW_MPA_REJECTED;
	if (!rep->enhanced)
		return XIW_MPA_OPEN;

	if (rep->p2p) {
		agreed->p2p = true;
		agreed->rtr = preferred_rtr(cfg->rtr & rep->rtr);
		if (!agreed->rtr) {
			*fault = XIW_FAULT_LLP_RTR;
			return XIW_MPA_TERMINATE;
		}
	}
	if (!conclude_depths(agreed, rep, cfg)) {
		*fault = XIW_FAULT_LLP_IRD;
		return XIW_MPA_TERMINATE;
	}
	return XIW_MPA_OPEN;
}
