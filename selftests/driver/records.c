// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "records.h"

#include "soft/records.h"
#include "soft/stream.h"

#define PLANS 4

struct records {
	struct xiw_soft soft;
	struct xiw_stats_block stats;
	struct xiw_soft_stream stream;
	struct xiw_soft_arrivals *arrivals;	/* of the reading conn; NULL if a stream reads */
	struct socket sock;
	struct proto_ops ops;
	struct sock sk;
	struct {
		unsigned int n;
		size_t len;
	} plan[PLANS];
	unsigned int plans, at, sent;	/* the next record is number @sent of plan @at */
	size_t used;			/* octets of this record that have been read */
	u8 octet;			/* next octet of the peer */
	unsigned int passed, part;
	bool drops, flood;
	size_t got;
};

struct task_struct *current;
unsigned long xiw_test_locks;
static struct records *records_now;

/* ------------------------------------------------- functions that the driver calls */

bool queue_work(struct workqueue_struct *queue, struct work_struct *work)
{
	abort();
}

void xiw_soft_stream_put(struct xiw_soft_stream *s)
{
	abort();
}

void xiw_soft_stream_serve(struct xiw_soft_stream *s)
{
	abort();
}

void xiw_soft_stream_defer(struct xiw_soft_stream *s, enum xiw_soft_pending why)
{
}

/* ------------------------------------------------------------------------- TLS */

/* Get the number of unread octets of the next record. Return: false if there is no record. */
static bool next_record(struct records *records, size_t *len)
{
	while (records->at < records->plans && records->sent == records->plan[records->at].n) {
		records->at++;
		records->sent = 0;
	}
	*len = 0;
	if (records->at == records->plans)
		return records->flood;
	*len = records->plan[records->at].len - records->used;
	return true;
}

static void use(struct records *records, size_t n)
{
	if (records->at == records->plans)
		return;
	records->octet += n;
	records->used += n;
	if (records->used < records->plan[records->at].len)
		return;
	records->used = 0;
	records->sent++;
}

static void segment_arrives(struct records *records)
{
	if (++records->passed > RECORDS_MAX)
		abort();
	if (records->arrivals)
		xiw_soft_records_limit(records->arrivals);
	else
		xiw_soft_records_arrived(&records->stream);
}

static int read_sock(struct sock *sk, read_descriptor_t *desc, sk_read_actor_t actor)
{
	struct records *records = records_now;
	u8 octets[64];
	struct sk_buff skb = { .data = octets };
	int copied = 0, used;
	size_t len, i;

	if (!sk->locked)
		abort();
	do {
		if (records->drops && !desc->count)
			break;
		if (!next_record(records, &len)) {
			for (; records->part; records->part--)
				segment_arrives(records);
			return copied ?: -EAGAIN;
		}
		segment_arrives(records);
		if (!len && records->drops) {
			use(records, 0);
			continue;
		}
		for (i = 0; i < len; i++)
			octets[i] = records->octet + i;
		used = actor(desc, &skb, 0, len);
		if (used <= 0)
			return copied ?: used;
		use(records, used);
		copied += used;
	} while (desc->count);
	return copied;
}

static int actor(read_descriptor_t *desc, struct sk_buff *skb, unsigned int offset, size_t len)
{
	records_now->got += len;
	return len;
}

/* ---------------------------------------------------------------------- calls */

struct records *records_new(bool drops)
{
	struct records *records = calloc(1, sizeof(*records));

	if (!records)
		abort();
	records_now = records;
	records->drops = drops;
	records->soft.stats = &records->stats;
	records->ops.read_sock = read_sock;
	records->sock.ops = &records->ops;
	records->sock.sk = &records->sk;
	records->sk.sk_socket = &records->sock;
	records->stream.soft = &records->soft;
	records->stream.sk = &records->sk;
	return records;
}

void records_free(struct records *records)
{
	free(records);
}

void records_send(struct records *records, unsigned int n, size_t len)
{
	if (records->plans == PLANS || len > 64)
		abort();
	records->plan[records->plans].n = n;
	records->plan[records->plans++].len = len;
}

void records_flood(struct records *records)
{
	records->flood = true;
}

void records_part(struct records *records, unsigned int n)
{
	records->part = n;
}

int records_take(struct records *records, uint8_t *buf, uint32_t len)
{
	struct xiw_soft_arrivals arrivals = {};
	int n;

	records->arrivals = &arrivals;
	n = xiw_soft_records_take(&records->sock, &arrivals, buf, len);
	records->arrivals = NULL;
	if (arrivals.count || records->sk.locked)
		abort();
	return n;
}

int records_read(struct records *records)
{
	int n = xiw_soft_records_read(&records->stream, actor);

	if (records->stream.arrivals.count || records->sk.locked)
		abort();
	return n;
}

size_t records_got(const struct records *records)
{
	return records->got;
}
