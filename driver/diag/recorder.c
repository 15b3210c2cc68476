// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "diag/recorder.h"

#include <linux/slab.h>
#include <linux/timekeeping.h>

#include "core/ddp_header.h"
#include "rdmap/stream.h"

int xiw_recorder_init(struct xiw_recorder *recorder, gfp_t gfp)
{
	recorder->record = kcalloc(XIW_RECORDER_SLOTS, sizeof(*recorder->record), gfp);
	return recorder->record ? 0 : -ENOMEM;
}

void xiw_recorder_free(struct xiw_recorder *recorder)
{
	kfree(recorder->record);
}

void xiw_recorder_clear(struct xiw_recorder *recorder)
{
	recorder->next = 0;
	memset(recorder->record, 0, XIW_RECORDER_SLOTS * sizeof(*recorder->record));
}

void xiw_recorder_read(const struct xiw_recorder *recorder, struct xiw_recording *recording)
{
	/* acquire: pairs with xiw_record_done() */
	u64 end = smp_load_acquire(&recorder->next), begin, i;
	const u32 told = ARRAY_SIZE(recording->record);
	u64 now = ktime_get_ns();
	u32 over, lost;

	begin = end - min_t(u64, end, told);
	for (i = begin; i != end; i++) {
		/*
		 * The copy may race with xiw_record_fill(). The code below omits overwritten
		 * entries.
		 */
		data_race(recording->record[i - begin] =
			  recorder->record[i % XIW_RECORDER_SLOTS]);
	}
	recording->count = end - begin;
	/*
	 * Read the index after the entries, to find the entries that were overwritten. Pairs with
	 * smp_wmb() in xiw_record_fill().
	 */
	smp_rmb();
	over = min_t(u64, READ_ONCE(recorder->next) - end, XIW_RECORDER_SLOTS);
	lost = max(recording->count + over, told) - told;
	lost = min(lost, recording->count);
	recording->count -= lost;
	memmove(recording->record, recording->record + lost,
		recording->count * sizeof(*recording->record));
	for (i = 0; i < recording->count; i++)
		recording->record[i].time = now - min(now, recording->record[i].time);
}

static void xiw_recorder_message(struct xiw_recorder *recorder, u8 flags, const u8 *header,
				 u32 length)
{
	bool tagged = header[XIW_DDP_CTRL_AT] & XIW_DDP_T;

	xiw_record_fill(recorder, ktime_get_ns(), flags, header,
			tagged ? XIW_DDP_TAGGED_LEN : XIW_DDP_UNTAGGED_LEN, length);
	xiw_record_done(recorder);
}

bool xiw_recorder_descriptor(struct xiw_recorder *recorder, const struct xiw_tx_desc *desc)
{
	u32 stag = le32_to_cpu(desc->stag);
	u8 header[XIW_DDP_HDR_MAX];

	if (desc->op == XIW_TX_TAGGED)
		xiw_ddp_put_tagged(header, desc->rdmap_ctrl, true, stag, le64_to_cpu(desc->to));
	else if (desc->op == XIW_TX_UNTAGGED || desc->op == XIW_TX_ATOMIC)
		/* The RNIC assigns the MSN later, so record 0. */
		xiw_ddp_put_untagged(header, desc->rdmap_ctrl, true,
				     desc->op == XIW_TX_ATOMIC ? 0 : stag, desc->queue, 0, 0);
	else
		return false;
	xiw_recorder_message(recorder, XIW_RECORD_SENT | XIW_RECORD_MESSAGE, header,
			     desc->header_length + le32_to_cpu(desc->length));
	return true;
}

static void xiw_recorder_error(struct xiw_recorder *recorder, const struct xiw_ev_error *error)
{
	u32 length = le16_to_cpu(error->ulpdu_length);
	u32 known = min_t(u32, error->header_length, sizeof(error->header));
	u32 header = error->header[XIW_DDP_CTRL_AT] & XIW_DDP_T ? XIW_DDP_TAGGED_LEN :
								  XIW_DDP_UNTAGGED_LEN;

	if (known < header)
		header = 0;
	xiw_record_fill(recorder, ktime_get_ns(), 0, error->header, header,
			length - min(length, header));
	xiw_record_done(recorder);
}

bool xiw_recorder_event(struct xiw_recorder *recorder, const struct xiw_event *event)
{
	u8 header[XIW_DDP_HDR_MAX];

	switch (event->type) {
	case XIW_EV_MESSAGE:
		xiw_ddp_put_message(header, &event->message);
		xiw_recorder_message(recorder, XIW_RECORD_MESSAGE, header,
				     le32_to_cpu(event->message.length));
		break;
	case XIW_EV_SOLICITED:
		xiw_ddp_put_tagged(header, xiw_rdmap_ctrl(XIW_OP_READ_RESPONSE), true, 0, 0);
		xiw_recorder_message(recorder, XIW_RECORD_MESSAGE, header,
				     le32_to_cpu(event->solicited.length));
		break;
	case XIW_EV_ERROR:
		xiw_recorder_error(recorder, &event->error);
		break;
	default:
		return false;
	}
	return true;
}
