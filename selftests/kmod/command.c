// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "command.h"

#include <linux/kernel.h>
#include <linux/string.h>
#include <rdma/ib_verbs.h>

#include "buffer.h"
#include "connect.h"
#include "create.h"
#include "device.h"
#include "endpoint.h"
#include "fault.h"
#include "pool.h"
#include "post.h"
#include "region.h"
#include "run.h"
#include "session.h"
#include "sink.h"
#include "srq.h"
#include "work.h"

static int help_command(struct xt_session *s, struct xt_args *a);

#define EP_CFG "pd sq rq sge inline ord ird poll split vector srq srq_max hello export " \
	       "cqe slow export_len access sink sink_len sink_sges sink_buf sink_off " \
	       "sink_verify sink_shared tos pdata timeout"

static const struct xt_command commands[] = {
	{ "help", "", help_command, "all commands with their keys" },
	{ "devinfo", "dev", xt_devinfo_command, "attributes of a device" },
	{ "stat", "", xt_stat_command, "existing objects, in this session and in all sessions" },

	{ "buf", "name size chunk", xt_buf_command, "make a buffer" },
	{ "leak", "n", xt_leak_command, "leak memory" },
	{ "stale", "", xt_stale_command, "read freed memory" },
	{ "inversion", "", xt_inversion_command, "take two locks in both orders" },
	{ "race", "", xt_race_command, "update a counter in two threads without a lock" },
	{ "fill", "buf off len seed pos byte", xt_fill_command,
	  "write a pattern or one byte value" },
	{ "check", "buf off len seed pos byte", xt_check_command,
	  "compare; EILSEQ when it differs" },
	{ "dump", "buf off len", xt_dump_command, "up to 4096 octets in hex" },
	{ "peek", "buf off", xt_peek_command, "one 64-bit word, host order" },
	{ "poke", "buf off val", xt_poke_command, "store a 64-bit word, host order" },
	{ "cpuadd", "buf off do add", xt_cpuadd_command,
	  "do=start|stop: a thread that adds to a word atomically" },
	{ "cpulock", "buf off do", xt_cpulock_command,
	  "do=start|stop: a thread that competes for the lock of run op=lock" },
	{ "scribble", "buf off len do", xt_scribble_command,
	  "do=start|stop: a thread that overwrites a range again and again" },

	{ "listen", "addr port backlog mode autoclose " EP_CFG, xt_listen_command,
	  "mode=accept|reject|hold; the rest configures accepted endpoints" },
	{ "connect", "addr port src sport n wait rtimeout nudge " EP_CFG, xt_connect_command,
	  "n endpoints, connected at the same time" },
	{ "setup", "ep", xt_setup_command, "make the QP of a held request, to post before accept" },
	{ "accept", "ep", xt_accept_command, "accept a held request" },
	{ "reject", "ep pdata", xt_reject_command, "reject a held request" },
	{ "disconnect", "ep", xt_disconnect_command, "rdma_disconnect" },
	{ "close", "ep drain abrupt", xt_close_command,
	  "destroy endpoints; without abrupt=1, rdma_disconnect them first" },
	{ "wait", "ep state n event notified timeout", xt_wait_command,
	  "until n endpoints have the state, or an event was seen" },
	{ "query", "ep", xt_query_command, "state, events, counters, QP attributes" },
	{ "modify", "ep state access", xt_modify_command, "ib_modify_qp" },
	{ "drain", "ep q", xt_drain_command, "ib_drain_qp, ib_drain_sq, ib_drain_rq" },

	{ "reg", "ep name buf off len access sgoff iova pd more signal fence timeout bind",
	  xt_reg_command, "fast registration" },
	{ "regs", "ep n name buf off len access sgoff iova pd timeout", xt_regs_command,
	  "n regions of one memory, some of their keys" },
	{ "dereg", "name", xt_dereg_command, "free a region" },

	{ "post", XT_POST_KEYS, xt_post_command, "post work requests, do not wait" },
	{ "probe", "ep rkey timeout", xt_probe_command, "ask the peer for atomics" },
	{ "wr", XT_POST_KEYS, xt_wr_command, "post one work request and wait for its completion" },
	{ "recv", "ep n buf off len sges stride srq lkey", xt_recv_command, "post receives" },
	{ "pool", "ep q n limit open timeout", xt_pool_command,
	  "QP in error, or open=1: post until the pool is empty; completions refill it" },
	{ "wc", "ep q timeout", xt_wc_command, "take the oldest completion" },
	{ "wcall", "ep n timeout", xt_wcall_command,
	  "wait for n completions, take all, count by status" },
	{ "poll", "ep", xt_poll_command, "poll the CQs of a poll=event endpoint" },
	{ "arm", "ep q solicited missed", xt_arm_command, "request notification" },
	{ "create", "dev what type sq rq sge rsge inline cqe vector srq limit to",
	  xt_create_command,
	  "what=qp|cq|srq: create an object, move a QP through the states of to=, destroy it" },
	{ "srq", "ep limit", xt_srq_command, "limit and events of the device's SRQ" },
	{ "sink", "ep n len sges buf off verify", xt_sink_command,
	  "keep receives posted and count; without n: print the counts" },
	{ "run", XT_RUN_KEYS, xt_run_command, "many operations, pipelined" },
	{ "halt", "", xt_halt_command, "end the run ms= loops of all sessions" },
	{ "wake", "", xt_wake_command, "end the delays of all handlers with slow=" },
};

static int help_command(struct xt_session *s, struct xt_args *a)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(commands); i++)
		xt_say(s, "\n%s: %s [%s]", commands[i].name, commands[i].help, commands[i].keys);
	return 0;
}

bool xt_arg_has(const struct xt_args *a, const char *key)
{
	return xt_arg_str(a, key, NULL);
}

/*
 * Get the value of the last argument that has this key, or def. Since the last argument counts, a
 * script can append arguments that override its defaults.
 */
const char *xt_arg_str(const struct xt_args *a, const char *key, const char *def)
{
	unsigned int i;

	for (i = a->n; i-- > 0; )
		if (!strcmp(a->kv[i].key, key))
			return a->kv[i].val;
	return def;
}

static void bad_arg(struct xt_args *a, const char *key)
{
	if (a->err)
		return;
	a->err = -EINVAL;
	a->bad = key;
}

/*
 * Parse a number: decimal or 0x hex, with an optional suffix K, M or G. Return a negative number in
 * two's complement.
 */
u64 xt_arg_num(struct xt_args *a, const char *key, u64 def)
{
	const char *val = xt_arg_str(a, key, NULL);
	bool negative;
	char *end;
	u64 v;

	if (!val)
		return def;
	negative = *val == '-';
	v = memparse(val + negative, &end);
	if (*end || end == val + negative)
		bad_arg(a, key);
	return negative ? -v : v;
}

u64 xt_arg_max(struct xt_args *a, const char *key, u64 def, u64 max)
{
	u64 v = xt_arg_num(a, key, def);

	if (v > max)
		bad_arg(a, key);
	return v;
}

/* Read an argument in hex. Return: number of octets, or a negative errno. */
int xt_arg_hex(struct xt_args *a, const char *key, u8 *out, size_t max)
{
	const char *val = xt_arg_str(a, key, "");
	size_t i, n = strlen(val) / 2;

	if (strlen(val) % 2 || n > max)
		goto bad;
	for (i = 0; i < n; i++) {
		const char octet[] = { val[2 * i], val[2 * i + 1], 0 };

		if (kstrtou8(octet, 16, &out[i]))
			goto bad;
	}
	return n;
bad:
	bad_arg(a, key);
	return -EINVAL;
}

static const struct {
	const char *name;
	int flag;
} access_names[] = {
	{ "lw", IB_ACCESS_LOCAL_WRITE },
	{ "rw", IB_ACCESS_REMOTE_WRITE },
	{ "rr", IB_ACCESS_REMOTE_READ },
	{ "ra", IB_ACCESS_REMOTE_ATOMIC },
	{ "mw", IB_ACCESS_MW_BIND },
	{ "none", 0 },
};

/* Read a list of rights like "lw,rw,rr,ra". Return: IB_ACCESS_ flags. */
int xt_arg_access(struct xt_args *a, const char *key, const char *def)
{
	const char *val = xt_arg_str(a, key, def);
	int flags = 0;

	while (*val) {
		size_t n = strcspn(val, ",");
		int i;

		for (i = 0; i < ARRAY_SIZE(access_names); i++)
			if (strlen(access_names[i].name) == n &&
			    !strncmp(val, access_names[i].name, n))
				break;
		if (i == ARRAY_SIZE(access_names)) {
			bad_arg(a, key);
			return 0;
		}
		flags |= access_names[i].flag;
		val += n + (val[n] == ',');
	}
	return flags;
}

static bool key_known(const char *keys, const char *key)
{
	size_t n = strlen(key);

	while (*keys) {
		size_t m = strcspn(keys, " ");

		if (m == n && !strncmp(keys, key, n))
			return true;
		keys += m + (keys[m] == ' ');
	}
	return false;
}

static int parse(struct xt_session *s, const struct xt_command *cmd, char *rest, struct xt_args *a)
{
	char *token;

	while ((token = strsep(&rest, " \t"))) {
		char *eq;

		if (!*token)
			continue;
		eq = strchr(token, '=');
		if (!eq || a->n == XT_ARGS_MAX) {
			xt_say(s, " what=\"bad argument %s\"", token);
			return -EINVAL;
		}
		*eq = 0;
		if (!key_known(cmd->keys, token)) {
			xt_say(s, " what=\"%s does not take %s\"", cmd->name, token);
			return -EINVAL;
		}
		a->kv[a->n].key = token;
		a->kv[a->n++].val = eq + 1;
	}
	return 0;
}

/* Execute one command line. Afterwards the session contains the answer, without the status. */
int xt_command_run(struct xt_session *s, char *line)
{
	struct xt_args *a = &s->args;
	char *rest = strim(line);
	char *verb = strsep(&rest, " \t");
	int i, err;

	memset(a, 0, sizeof(*a));
	for (i = 0; i < ARRAY_SIZE(commands); i++)
		if (!strcmp(verb, commands[i].name))
			break;
	if (i == ARRAY_SIZE(commands)) {
		xt_say(s, " what=\"no such command %s\"", verb);
		return -EOPNOTSUPP;
	}
	err = parse(s, &commands[i], rest, a);
	if (err)
		return err;
	err = commands[i].run(s, a);
	if (a->err && a->bad)
		xt_say(s, " what=\"bad value of %s\"", a->bad);
	return err;
}
