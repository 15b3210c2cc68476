// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * xiw_short: make one call of a function fail as if there were no memory: the call returns -ENOMEM,
 * or with null=1 a null pointer or false. Later calls are normal. The module uses a kprobe, so it
 * needs no hook in the driver and no special kernel.
 *
 * For tests only. The function must return an errno, an ERR_PTR, a pointer that may be NULL, or a
 * bool. The compiler must not inline the call: either the function is in another file than its
 * caller, or it is called through a pointer.
 */
#include <linux/delay.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/module.h>

static char *in;
module_param(in, charp, 0444);
MODULE_PARM_DESC(in, "function, or module:function");

static int skip;
module_param(skip, int, 0444);
MODULE_PARM_DESC(skip, "calls before the one that fails");

static int event = -1;
module_param(event, int, 0444);
MODULE_PARM_DESC(event, "only calls whose second argument points to this number");

static char *from;
module_param(from, charp, 0444);
MODULE_PARM_DESC(from, "only calls by this module");

static char *by;
module_param(by, charp, 0444);
MODULE_PARM_DESC(by, "only calls by functions whose names begin with this");

static bool null;
module_param(null, bool, 0444);
MODULE_PARM_DESC(null, "the answer is a null pointer, or false");

static uint wait;
module_param(wait, uint, 0444);
MODULE_PARM_DESC(wait,
		 "milliseconds until the call fails, if the call may sleep; no effect with null=1");

static int struck;
module_param(struck, int, 0444);
MODULE_PARM_DESC(struck, "for reading: the number of calls that have failed");

static atomic_t passing;
static atomic_t left = ATOMIC_INIT(1);
static atomic_t waiting;

/* Run in place of the probed function, and return to the caller of the probed function. */
static noinline long is_short(void)
{
	if (wait) {
		msleep(wait);
		atomic_dec(&waiting);
	}
	return -ENOMEM;
}

static noinline void *is_null(void)
{
	return NULL;
}

/* Get the return address at the start of a function. */
static unsigned long short_return_address(const struct pt_regs *regs)
{
#if defined(CONFIG_ARM64)
	return regs->regs[30];
#elif defined(CONFIG_S390)
	return regs->gprs[14];
#else
	return *(unsigned long *)regs->sp;
#endif
}

/*
 * Get the second argument at the start of a function. Modules cannot call
 * regs_get_kernel_argument() on s390.
 */
static unsigned long second_argument(const struct pt_regs *regs)
{
#ifdef CONFIG_S390
	return regs->gprs[3];
#else
	return regs_get_kernel_argument((struct pt_regs *)regs, 1);
#endif
}

/* Return: true if the caller matches by= and from=. One that is not set matches each caller. */
static bool is_from(const struct pt_regs *regs)
{
	char caller[KSYM_SYMBOL_LEN], *module;

	if (!by && !from)
		return true;
	sprint_symbol(caller, short_return_address(regs));
	if (by && !strstarts(caller, by))
		return false;
	if (!from)
		return true;
	module = strrchr(caller, '[');
	return module && !strncmp(module + 1, from, strlen(from)) &&
	       module[1 + strlen(from)] == ']';
}

static int answer(struct kprobe *probe, struct pt_regs *regs)
{
	if (!is_from(regs))
		return 0;
	if (event >= 0 && *(const int *)second_argument(regs) != event)
		return 0;
	if (atomic_dec_if_positive(&passing) >= 0 || atomic_dec_if_positive(&left) < 0)
		return 0;
	struck++;	/* only one call reaches this line */
	if (wait && !null)
		atomic_inc(&waiting);
	instruction_pointer_set(regs, null ? (unsigned long)is_null : (unsigned long)is_short);
	return 1;
}

NOKPROBE_SYMBOL(short_return_address);
NOKPROBE_SYMBOL(second_argument);
NOKPROBE_SYMBOL(is_from);
NOKPROBE_SYMBOL(answer);

static struct kprobe probe = { .pre_handler = answer };

module_param_named(missed, probe.nmissed, ulong, 0444);
MODULE_PARM_DESC(missed,
		 "for reading: calls that the probe missed, because they interrupted its handler");

static int __init short_init(void)
{
	if (!in)
		return -EINVAL;
	atomic_set(&passing, skip);
	probe.symbol_name = in;
	return register_kprobe(&probe);
}

/*
 * Remove the probe, and wait until no task runs code of this module. The probe handler runs without
 * preemption, so synchronize_rcu() waits for it. @waiting is the number of calls that sleep in
 * is_short(). A task may be preempted in is_short() or is_null(); synchronize_rcu_tasks() waits for
 * it.
 */
static void __exit short_exit(void)
{
	unregister_kprobe(&probe);
	synchronize_rcu();
	while (atomic_read(&waiting))
		msleep(20);
	synchronize_rcu_tasks();
}

module_init(short_init);
module_exit(short_exit);
MODULE_DESCRIPTION("one call of a function is short of memory");
MODULE_LICENSE("GPL");
