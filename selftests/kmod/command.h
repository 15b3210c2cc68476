/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
#ifndef XT_COMMAND_H
#define XT_COMMAND_H

#include <linux/types.h>

struct xt_session;

#define XT_ARGS_MAX 48

/**
 * struct xt_args - one parsed command line "verb key=value key=value"
 * @n: number of pairs
 * @err: first error of the xt_arg_ functions; a handler checks it once, after all calls
 * @bad: key that caused this error
 * @kv: the pairs, in order
 */
struct xt_args {
	unsigned int n;
	int err;
	const char *bad;
	struct {
		char *key;
		char *val;
	} kv[XT_ARGS_MAX];
};

/**
 * struct xt_command - one verb of the text interface
 * @name: the verb
 * @keys: keys that the verb accepts, separated by blanks; any other key is an error
 * @run: execute the verb; the session is locked; return 0 or a negative errno
 * @help: description in one line
 */
struct xt_command {
	const char *name;
	const char *keys;
	int (*run)(struct xt_session *s, struct xt_args *a);
	const char *help;
};

bool xt_arg_has(const struct xt_args *a, const char *key);
const char *xt_arg_str(const struct xt_args *a, const char *key, const char *def);
u64 xt_arg_num(struct xt_args *a, const char *key, u64 def);
u64 xt_arg_max(struct xt_args *a, const char *key, u64 def, u64 max);
int xt_arg_hex(struct xt_args *a, const char *key, u8 *out, size_t max);
int xt_arg_access(struct xt_args *a, const char *key, const char *def);

int xt_command_run(struct xt_session *s, char *line);

#endif
