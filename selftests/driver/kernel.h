/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * The part of a kernel that the driver's streams and queues need to run in a process with one
 * thread. This file replaces the kernel headers that CMakeLists.txt lists. A lock only checks its
 * use: the process aborts if the driver takes a lock twice, or releases a lock that is not held.
 */
#ifndef XIW_TEST_KERNEL_H
#define XIW_TEST_KERNEL_H

#include <asm/types.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include <linux/byteorder.h>
#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/types.h>
#include <linux/unaligned.h>

/* ------------------------------------------------------------------- language */

typedef unsigned int gfp_t;
typedef u64 dma_addr_t;
typedef int netdevice_tracker;

#define GFP_KERNEL 0
#define GFP_ATOMIC 1
#define GFP_NOIO 2
#define GFP_KERNEL_ACCOUNT 3
#define __GFP_ACCOUNT 4
#define __GFP_NOWARN 8

#define __aligned(n) __attribute__((aligned(n)))
#define __maybe_unused __attribute__((unused))
#define __weak __attribute__((weak))
#define __force
#define __percpu
#define __rcu
#define __acquires(lock)
#define __releases(lock)
#define __must_hold(lock)
#define rcu_access_pointer(p) (p)
#define ____cacheline_aligned_in_smp
#define __uninitialized
#define fallthrough __attribute__((fallthrough))
#define static_assert _Static_assert
#define WARN_ON_ONCE(condition) ((condition) ? abort() : (void)0, false)
#define BUILD_BUG_ON(condition) ((void)sizeof(char[1 - 2 * !!(condition)]))
#define BIT(n) (1UL << (n))
#define BITS_TO_LONGS(n) (((n) + 63) / 64)
#define DECLARE_BITMAP(name, bits) unsigned long name[BITS_TO_LONGS(bits)]
#define IS_ALIGNED(x, a) (((x) & ((__typeof__(x))(a) - 1)) == 0)
#define ALIGN(x, a) (((x) + (a) - 1) & ~((__typeof__(x))(a) - 1))
#define DIV_ROUND_UP(n, d) (((n) + (d) - 1) / (d))
#define roundup(n, d) (DIV_ROUND_UP(n, d) * (d))
#define U32_MAX 0xffffffffU
#define PAGE_SIZE 4096UL
#define min3(x, y, z) min(min(x, y), z)
#define clamp(x, low, high) min(max(x, low), high)
#define array_index_nospec(index, size) ((void)(size), (index))
#define IS_ENABLED(option) 0
#define WARN_ON(condition) ((condition) ? abort(), true : false)
#define container_of(p, type, member) ((type *)((char *)(p) - offsetof(type, member)))

static inline bool IS_ERR(const void *p)
{
	return (unsigned long)p >= -4095UL;
}

static inline long PTR_ERR(const void *p)
{
	return (long)p;
}

static inline const void *memchr_inv(const void *p, int octet, size_t n)
{
	const u8 *at = p;

	for (; n; n--, at++)
		if (*at != (u8)octet)
			return at;
	return NULL;
}

static inline unsigned long roundup_pow_of_two(unsigned long n)
{
	return n <= 1 ? 1 : 1UL << (64 - __builtin_clzl(n - 1));
}

static inline int ilog2(u64 n)
{
	return 63 - __builtin_clzll(n);
}

/* --------------------------------------------------------------------- memory */

#define WRITE_ONCE(x, v) (*(volatile __typeof__(x) *)&(x) = (v))
#define barrier() __asm__ volatile("" ::: "memory")
#define smp_mb() __sync_synchronize()
#define smp_rmb() __sync_synchronize()
#define smp_mb__after_atomic() __sync_synchronize()
#define smp_wmb() __sync_synchronize()
#define dma_mb() __sync_synchronize()
#define dma_rmb() __sync_synchronize()
#define dma_wmb() __sync_synchronize()
#define smp_load_acquire(p) __atomic_load_n(p, __ATOMIC_ACQUIRE)
#define smp_store_release(p, v) __atomic_store_n(p, v, __ATOMIC_RELEASE)

typedef struct {
	int value;
} atomic_t, refcount_t;

#define atomic_read(a) ((a)->value)
#define atomic_set(a, v) ((void)((a)->value = (v)))
#define atomic_inc(a) ((void)(a)->value++)
#define atomic_dec(a) ((void)(a)->value--)
#define atomic_add(n, a) ((void)((a)->value += (n)))
#define atomic_sub(n, a) ((void)((a)->value -= (n)))
#define atomic_dec_return(a) (--(a)->value)
#define atomic_set_release atomic_set
#define refcount_set(r, v) ((void)((r)->value = (v)))
#define refcount_read(r) ((r)->value)

static inline int atomic_xchg(atomic_t *a, int value)
{
	int old = a->value;

	a->value = value;
	return old;
}

static inline int atomic_fetch_or(int bits, atomic_t *a)
{
	return atomic_xchg(a, a->value | bits);
}

static inline bool atomic_try_cmpxchg_acquire(atomic_t *a, int *old, int value)
{
	bool same = a->value == *old;

	if (same)
		a->value = value;
	else
		*old = a->value;
	return same;
}

#define atomic_try_cmpxchg atomic_try_cmpxchg_acquire

typedef struct {
	long value;
} atomic_long_t;

static inline bool try_cmpxchg64(u64 *p, u64 *old, u64 value)
{
	bool same = *p == *old;

	if (same)
		*p = value;
	else
		*old = *p;
	return same;
}

static inline void clear_bit(int bit, unsigned long *bits)
{
	*bits &= ~BIT(bit);
}

/* Bitmaps of one word. */
#define __clear_bit clear_bit
#define clear_bit_unlock clear_bit
#define __set_bit(bit, bits) ((void)(*(bits) |= BIT(bit)))
#define set_bit __set_bit
#define test_bit(bit, bits) (!!(*(bits) & BIT(bit)))
#define bitmap_zero(bits, n) ((void)(*(bits) = 0))
#define find_first_zero_bit(bits, n) ((unsigned int)__builtin_ctzl(~*(bits)))
#define for_each_set_bit(bit, bits, n)                \
	for ((bit) = 0; (bit) < (unsigned int)(n); (bit)++) \
		if (test_bit(bit, bits))

static inline bool test_and_clear_bit(int bit, unsigned long *bits)
{
	bool was = *bits & BIT(bit);

	clear_bit(bit, bits);
	return was;
}

static inline bool test_and_set_bit(int bit, unsigned long *bits)
{
	bool was = *bits & BIT(bit);

	set_bit(bit, bits);
	return was;
}

#define this_cpu_add(field, n) ((void)((field) += (n)))

#define refcount_inc(r) ((void)(r)->value++)
#define refcount_dec_and_test(r) (--(r)->value == 0)

/* ---------------------------------------------------------------------- locks */

typedef struct {
	bool held;
} spinlock_t;

/*
 * Number of times that a spinlock was taken. If the number has not changed, no spinlock was taken
 * in the meantime.
 */
extern unsigned long xiw_test_locks;

static inline void spin_lock(spinlock_t *lock)
{
	if (lock->held)
		abort();
	lock->held = true;
	xiw_test_locks++;
}

static inline void spin_unlock(spinlock_t *lock)
{
	if (!lock->held)
		abort();
	lock->held = false;
}

#define spin_lock_init(lock) ((void)((lock)->held = false))
#define spin_lock_irqsave(lock, flags) ((flags) = 0, spin_lock(lock))
#define spin_unlock_irqrestore(lock, flags) ((void)(flags), spin_unlock(lock))
#define spin_lock_bh spin_lock
#define spin_unlock_bh spin_unlock

typedef spinlock_t local_lock_t;

struct mutex {
	bool held;
};

struct completion {
	bool done;
};

#define mutex_init(m) ((void)((m)->held = false))

static inline void mutex_lock(struct mutex *m)
{
	if (m->held)
		abort();
	m->held = true;
}

static inline void mutex_unlock(struct mutex *m)
{
	if (!m->held)
		abort();
	m->held = false;
}

#define init_completion(c) ((void)((c)->done = false))
#define complete(c) ((c)->done = true)

/* Abort if the completion is not done, because no other task runs that could complete it. */
static inline void wait_for_completion(const struct completion *c)
{
	if (!c->done)
		abort();
}

#define reinit_completion init_completion
#define wait_for_completion_timeout(c, timeout) ((void)(timeout), (c)->done)

struct semaphore {
	int count;
};

#define sema_init(s, n) ((void)((s)->count = (n)))
#define up(s) ((void)(s)->count++)

static inline void down(struct semaphore *s)
{
	if (!s->count--)
		abort();
}

#include "lists.h"

/* ---------------------------------------------- structures that are only passed on */

struct work_struct {
	void (*func)(struct work_struct *work);
};

struct workqueue_struct;

#define INIT_WORK(w, f) ((void)((w)->func = (f)))
#define cancel_work_sync(w) ((void)(w))
#define WQ_MEM_RECLAIM 1
#define WQ_HIGHPRI 2
#define WQ_PERCPU 4

/* Queue a work item, which the test runs later. Return: false if the item was already queued. */
bool queue_work(struct workqueue_struct *queue, struct work_struct *work);
struct workqueue_struct *alloc_workqueue(const char *name, unsigned int flags, int most);
void destroy_workqueue(struct workqueue_struct *queue);

struct irq_work {
	int unused;
};

struct delayed_work {
	struct work_struct work;
};

/* Time limits do not start: the time of a test does not advance. */
#define to_delayed_work(w) container_of(w, struct delayed_work, work)
#define queue_delayed_work(queue, w, delay) ((void)(queue), (void)(w), (void)(delay), false)
#define cancel_delayed_work(w) ((void)(w), false)

struct timer_list {
	bool pending;
};

/* The jiffies do not advance. */
#define jiffies 0UL
#define msecs_to_jiffies(ms) ((unsigned long)(ms))
#define mod_timer(timer, when) ((void)(when), (void)((timer)->pending = true))
#define timer_reduce(timer, when) mod_timer(timer, when)
#define timer_delete(timer) ((void)((timer)->pending = false))
#define timer_pending(timer) ((timer)->pending)

enum hrtimer_restart {
	HRTIMER_NORESTART,
};

struct hrtimer {
	enum hrtimer_restart (*function)(struct hrtimer *timer);
	bool started;
};

#define HRTIMER_MODE_REL 0
#define CLOCK_MONOTONIC 1
#define us_to_ktime(us) (us)
#define hrtimer_setup(timer, f, ...) ((void)((timer)->function = (f)))
#define hrtimer_start(timer, ...) ((void)((timer)->started = true))
#define hrtimer_cancel(timer) ((void)((timer)->started = false))

struct ida {
	int unused;
};

/* The test chooses the index. */
int ida_alloc_range(struct ida *ida, unsigned int low, unsigned int high, gfp_t gfp);
#define ida_free(ida, index) ((void)(ida), (void)(index))

u32 get_random_u32(void);

static inline u32 reciprocal_scale(u32 value, u32 range)
{
	return (u64)value * range >> 32;
}

#define kcsan_disable_current() ((void)0)
#define kcsan_enable_current() ((void)0)

struct napi_struct {
	int (*poll)(struct napi_struct *napi, int budget);
	bool scheduled;
};

#define netif_napi_add(dev, napi, f) ((void)(dev), (void)((napi)->poll = (f)))
#define netif_napi_del(napi) ((void)(napi))
#define napi_enable(napi) ((void)(napi))
#define napi_disable(napi) ((void)(napi))
#define napi_schedule(napi) ((void)((napi)->scheduled = true))
#define napi_complete_done(napi, work) ((void)(work), (napi)->scheduled = false, true)

struct rcu_head {
	int unused;
};

struct static_key_false {
	int unused;
};

struct static_key_false_deferred {
	struct static_key_false key;
};

typedef struct {
	unsigned int val;
} kuid_t;

/* Each task has all capabilities. */
#define ns_capable_noaudit(ns, capability) true
#define from_kuid(ns, uid) ((uid).val)
#define current_uid() ((kuid_t){ 0 })

struct user_namespace {
	struct user_namespace *parent;
	kuid_t owner;
};

static struct user_namespace init_user_ns __attribute__((unused));

#define current_user_ns() (&init_user_ns)
#define GLOBAL_ROOT_UID ((kuid_t){ 0 })
#define uid_eq(a, b) ((a).val == (b).val)
#define get_mem_cgroup_from_mm(mm) NULL

/* kzalloc() and __xa_cmpxchg() call this function of the test, which may run another task. */
void xiw_test_allocate(gfp_t gfp);

#define kvfree free
#define kfree free
#define kfree_rcu(object, member) free(object)
#define kzalloc(size, gfp) (xiw_test_allocate(gfp), calloc(1, size))

/* Abort if an allocation must not sleep and needs contiguous pages, which may be scarce. */
static inline void *kcalloc(size_t n, size_t size, gfp_t gfp)
{
	if ((gfp & GFP_KERNEL_ACCOUNT) == GFP_ATOMIC && n * size > PAGE_SIZE)
		abort();
	return calloc(n, size);
}

#define kvcalloc(n, size, gfp) calloc(n, size)

struct static_key {
	int unused;
};

typedef struct {
	int unused;
} wait_queue_head_t;

/* wait_event_timeout() calls this function of the test, which runs the pending work once. */
void xiw_test_wait(void);

#define HZ 100
#define init_waitqueue_head(queue) ((void)(queue))
#define wq_has_sleeper(queue) ((void)(queue), false)
#define wake_up_all(queue) ((void)(queue))
#define wake_up_var(var) ((void)(var))
#define wait_var_event_timeout(var, condition, timeout) ((void)(var), (condition))
#define wait_event_timeout(queue, condition, timeout) (xiw_test_wait(), (condition))

struct task_struct {
	unsigned long nvcsw;
};

struct page;

struct page_frag {
	struct page *page;
	u32 offset, size;
};

struct bio_vec {
	struct page *bv_page;
	unsigned int bv_len, bv_offset;
};

struct sock;
struct net_device;
struct device;
struct net;
struct sk_buff;
struct genl_info;
struct netlink_callback;
struct vm_area_struct;
struct ib_udata;
struct ib_umem;
struct scatterlist;

#define DECLARE_STATIC_KEY_FALSE(name) extern struct static_key_false name
#define static_branch_unlikely(key) ((void)(key), false)

extern struct task_struct *current;
#define fatal_signal_pending(task) ((void)(task), false)
#define cond_resched() ((void)0)
/* True if a task of the test calls the driver; false if a softirq does. */
extern bool xiw_test_task;
#define in_interrupt() (!xiw_test_task)
/* True if a timer of the test interrupts the idle task. */
extern bool xiw_test_idle;
#define is_idle_task(task) ((void)(task), xiw_test_idle)
#define in_hardirq() false
#define in_serving_softirq() (!xiw_test_task)
#define irqs_disabled() false
#define rcu_read_lock() ((void)0)
#define rcu_read_unlock() ((void)0)
#define local_bh_disable() ((void)0)
#define local_bh_enable() ((void)0)
#define local_irq_save(flags) ((void)((flags) = 0))
#define local_irq_restore(flags) ((void)(flags))
#define preempt_disable() ((void)0)
#define preempt_enable() ((void)0)
#define ktime_get_ns() ((u64)0)

/* Return the time that the test has set, in ns. */
u64 local_clock(void);

#define DEFINE_PER_CPU(type, name) type name
#define __this_cpu_read(name) (name)
#define __this_cpu_write(name, value) ((void)((name) = (value)))

#define XIW_TEST_XARRAY 64

struct xarray {
	spinlock_t xa_lock;
	void *slot[XIW_TEST_XARRAY];
};

#define xa_init(array) ((void)memset(array, 0, sizeof(*(array))))
#define xa_destroy(array) ((void)(array))
#define xa_lock(array) spin_lock(&(array)->xa_lock)
#define xa_unlock(array) spin_unlock(&(array)->xa_lock)
#define xa_lock_irqsave(array, flags) spin_lock_irqsave(&(array)->xa_lock, flags)
#define xa_unlock_irqrestore(array, flags) spin_unlock_irqrestore(&(array)->xa_lock, flags)
#define xa_is_err(entry) ((void)(entry), false)
#define xa_for_each(array, index, entry)                            \
	for ((index) = 0; (index) < XIW_TEST_XARRAY; (index)++)     \
		if (((entry) = xa_load(array, index)))

static inline void *xa_load(struct xarray *array, unsigned long index)
{
	return index < XIW_TEST_XARRAY ? array->slot[index] : NULL;
}

/* Release the lock during the allocation of memory, as the kernel may do. */
static inline void *__xa_cmpxchg(struct xarray *array, unsigned long index, void *old, void *entry,
				 gfp_t gfp)
{
	void *now;

	xa_unlock(array);
	xiw_test_allocate(gfp);
	xa_lock(array);
	now = array->slot[index];
	if (now == old)
		array->slot[index] = entry;
	return now;
}

static inline bool xa_empty(const struct xarray *array)
{
	unsigned int i;

	for (i = 0; i < XIW_TEST_XARRAY; i++)
		if (array->slot[i])
			return false;
	return true;
}

static inline int __xa_insert(struct xarray *array, unsigned long index, void *entry, gfp_t gfp)
{
	return __xa_cmpxchg(array, index, NULL, entry, gfp) ? -EBUSY : 0;
}

#define xa_erase_bh __xa_erase

static inline void *__xa_erase(struct xarray *array, unsigned long index)
{
	void *old = xa_load(array, index);

	if (old)
		array->slot[index] = NULL;
	return old;
}

/* Allocate the lowest free index. */
#define XA_LIMIT(low, high) (high)
static inline int xa_alloc_cyclic_bh(struct xarray *array, u32 *index, void *entry, u32 high,
				     u32 *next, gfp_t gfp)
{
	for (*index = 0; *index <= high && *index < XIW_TEST_XARRAY; ++*index) {
		if (array->slot[*index])
			continue;
		array->slot[*index] = entry;
		return 0;
	}
	return -EBUSY;
}

/* ---------------------------------------------------------------------- verbs */

enum rdma_driver_id {
	RDMA_DRIVER_UNKNOWN,
};

enum ib_event_type {
	IB_EVENT_CQ_ERR,
	IB_EVENT_QP_FATAL,
	IB_EVENT_QP_REQ_ERR,
	IB_EVENT_QP_ACCESS_ERR,
	IB_EVENT_DEVICE_FATAL,
	IB_EVENT_QP_LAST_WQE_REACHED,
	IB_EVENT_SRQ_ERR,
	IB_EVENT_SRQ_LIMIT_REACHED,
};

enum ib_wc_status {
	IB_WC_SUCCESS,
	IB_WC_LOC_LEN_ERR,
	IB_WC_LOC_QP_OP_ERR,
	IB_WC_LOC_EEC_OP_ERR,
	IB_WC_LOC_PROT_ERR,
	IB_WC_WR_FLUSH_ERR,
	IB_WC_MW_BIND_ERR,
	IB_WC_BAD_RESP_ERR,
	IB_WC_LOC_ACCESS_ERR,
	IB_WC_REM_INV_REQ_ERR,
	IB_WC_REM_ACCESS_ERR,
	IB_WC_REM_OP_ERR,
	IB_WC_RETRY_EXC_ERR,
	IB_WC_RNR_RETRY_EXC_ERR,
	IB_WC_FATAL_ERR = 19,
};

enum ib_wc_opcode {
	IB_WC_SEND,
	IB_WC_RDMA_WRITE,
	IB_WC_RDMA_READ,
	IB_WC_RECV = 1 << 7,
	IB_WC_RECV_RDMA_WITH_IMM,
};

enum ib_wc_flags {
	IB_WC_WITH_IMM = 1 << 1,
	IB_WC_WITH_INVALIDATE = 1 << 2,
};

enum ib_wr_opcode {
	IB_WR_RDMA_WRITE,
	IB_WR_SEND,
	IB_WR_SEND_WITH_IMM,
	IB_WR_SEND_WITH_INV,
	IB_WR_RDMA_WRITE_WITH_IMM,
	IB_WR_RDMA_READ,
	IB_WR_ATOMIC_FETCH_AND_ADD,
	IB_WR_ATOMIC_CMP_AND_SWP,
	IB_WR_MASKED_ATOMIC_FETCH_AND_ADD,
	IB_WR_MASKED_ATOMIC_CMP_AND_SWP,
	IB_WR_LOCAL_INV,
	IB_WR_RESERVED1 = 0xf0,
};

enum ib_access_flags {
	IB_ACCESS_REMOTE_WRITE = 1 << 1,
	IB_ACCESS_REMOTE_READ = 1 << 2,
	IB_ACCESS_REMOTE_ATOMIC = 1 << 3,
};

enum ib_send_flags {
	IB_SEND_FENCE = 1,
	IB_SEND_SIGNALED = 1 << 1,
	IB_SEND_SOLICITED = 1 << 2,
	IB_SEND_INLINE = 1 << 3,
};

enum ib_cq_notify_flags {
	IB_CQ_SOLICITED = 1,
	IB_CQ_NEXT_COMP = 2,
	IB_CQ_SOLICITED_MASK = 3,
	IB_CQ_REPORT_MISSED_EVENTS = 4,
};

#define IB_UVERBS_CQ_FLAGS_TIMESTAMP_COMPLETION 1

enum ib_srq_attr_mask {
	IB_SRQ_LIMIT = 1,
};

enum ib_mr_type {
	IB_MR_TYPE_MEM_REG,
};

struct ib_device {
	int unused;
};

struct ib_event;

struct ib_pd {
	struct ib_device *device;
	void *uobject;
};

struct ib_cq {
	struct ib_device *device;
	void (*comp_handler)(struct ib_cq *cq, void *context);
	void (*event_handler)(struct ib_event *event, void *context);
	void *cq_context;
	int cqe;
	struct ib_wc *wc;
};

struct ib_cq_init_attr {
	unsigned int cqe;
	u32 comp_vector, flags;
};

struct ib_udata {
	int unused;
};

struct uverbs_attr_bundle {
	struct ib_udata driver_udata;
};

#define ib_respond_udata(udata, resp) ((void)(udata), (void)(resp), 0)

struct ib_srq {
	struct ib_device *device;
	struct ib_pd *pd;
	void (*event_handler)(struct ib_event *event, void *context);
	void *srq_context;
};

enum ib_srq_type {
	IB_SRQT_BASIC,
};

struct ib_srq_attr {
	u32 max_wr, max_sge, srq_limit;
};

struct ib_srq_init_attr {
	struct ib_srq_attr attr;
	enum ib_srq_type srq_type;
};

struct ib_mr {
	u32 lkey, rkey;
};

struct ib_mw {
	u32 rkey;
};

struct ib_qp {
	struct ib_device *device;
	struct ib_pd *pd;
	struct ib_cq *send_cq, *recv_cq;
	void (*event_handler)(struct ib_event *event, void *context);
	void *qp_context;
};

struct ib_event {
	struct ib_device *device;
	union {
		struct ib_cq *cq;
		struct ib_qp *qp;
		struct ib_srq *srq;
	} element;
	enum ib_event_type event;
};

struct ib_sge {
	u64 addr;
	u32 length, lkey;
};

struct ib_recv_wr {
	struct ib_recv_wr *next;
	u64 wr_id;
	struct ib_sge *sg_list;
	int num_sge;
};

struct ib_send_wr {
	struct ib_send_wr *next;
	u64 wr_id;
	struct ib_sge *sg_list;
	int num_sge;
	enum ib_wr_opcode opcode;
	int send_flags;
	union {
		u32 imm_data, invalidate_rkey;
	} ex;
};

struct ib_rdma_wr {
	struct ib_send_wr wr;
	u64 remote_addr;
	u32 rkey;
};

struct ib_atomic_wr {
	struct ib_send_wr wr;
	u64 remote_addr, compare_add, swap, compare_add_mask, swap_mask;
	u32 rkey;
};

struct ib_wc {
	u64 wr_id;
	enum ib_wc_status status;
	enum ib_wc_opcode opcode;
	u32 vendor_err, byte_len;
	struct ib_qp *qp;
	union {
		u32 imm_data, invalidate_rkey;
	} ex;
	u32 wc_flags;
	u8 port_num;
};

struct ib_ucontext {
	int unused;
};

struct rdma_user_mmap_entry {
	int unused;
};

struct rdma_counter;
struct rdma_hw_stats;
struct iw_cm_id {
	int unused;
};

struct iw_cm_event;
struct iw_cm_conn_param;
typedef int (*iw_cm_handler)(struct iw_cm_id *, struct iw_cm_event *);

struct ib_qp_attr {
	int unused;
};

union ib_gid {
	u8 raw[16];
};

struct ib_qp_init_attr;
struct ib_dmah;
struct ib_sig_attrs;
struct ib_device_ops;
struct in6_addr;

#define ibdev_err_ratelimited(dev, ...) ((void)(dev))
#define ibdev_warn_ratelimited(dev, ...) ((void)(dev))
#define ibdev_warn(dev, ...) ((void)(dev))
#define might_sleep() ((void)0)

/* --------------------------------------------------------------- tracepoints */

#define TP_PROTO(...) __VA_ARGS__
#define TRACE_EVENT(name, proto, ...) static inline void trace_##name(proto) {}

struct sockaddr_storage;

#endif
