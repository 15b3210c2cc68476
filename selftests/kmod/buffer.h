/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
#ifndef XT_BUFFER_H
#define XT_BUFFER_H

#include <linux/list.h>
#include <linux/scatterlist.h>

struct ib_device;
struct ib_sge;
struct page;
struct task_struct;
struct xt_args;
struct xt_session;

#define XT_NAME_MAX 16

/**
 * struct xt_buf - memory of a session, in chunks of contiguous pages
 * @node: link in the session's list
 * @name: name that commands use
 * @size: size in octets
 * @npages: number of pages
 * @pages: the pages, in order
 * @va: contiguous kernel mapping
 * @maps: DMA mappings: one of the whole buffer for each device, and one for each region
 * @user: thread of cpuadd, cpulock or scribble; NULL if none runs
 * @user_state: state of this thread
 */
struct xt_buf {
	struct list_head	node;
	char			name[XT_NAME_MAX];
	size_t			size;
	unsigned int		npages;
	struct page		**pages;
	void			*va;
	struct list_head	maps;
	struct task_struct	*user;
	void			*user_state;
};

/**
 * struct xt_map - octets [base, base + len) of a buffer, mapped for a device
 * @node: link in the buffer's list
 * @ib: the device
 * @sgt: scatter list, of which @nents entries are used after mapping
 * @nents: number of mapped entries
 * @base: offset in the buffer
 * @len: length in octets
 * @whole: this is the shared mapping of the whole buffer, not the mapping of a region
 */
struct xt_map {
	struct list_head	node;
	struct ib_device	*ib;
	struct sg_table		sgt;
	int			nents;
	size_t			base, len;
	bool			whole;
};

struct xt_buf *xt_buf_find(struct xt_session *s, const char *name);
struct xt_buf *xt_buf_arg(struct xt_session *s, struct xt_args *a, const char *key);
bool xt_buf_holds(const struct xt_buf *b, u64 off, u64 len);
void xt_buffers_destroy(struct xt_session *s);

struct xt_map *xt_map_new(struct xt_buf *b, struct ib_device *ib, size_t base, size_t len);
struct xt_map *xt_map_whole(struct xt_buf *b, struct ib_device *ib);
void xt_map_free(struct xt_map *m);
void xt_maps_forget(struct xt_session *s, struct ib_device *ib);
void xt_map_sync(struct xt_map *m, size_t off, size_t len, bool for_cpu);
void xt_buf_sync(struct xt_buf *b, size_t off, size_t len, bool for_cpu);
int xt_map_sges(struct xt_map *m, size_t off, u32 len, unsigned int want, u32 lkey,
		struct ib_sge *sge, unsigned int max);

int xt_buf_command(struct xt_session *s, struct xt_args *a);
int xt_fill_command(struct xt_session *s, struct xt_args *a);
int xt_check_command(struct xt_session *s, struct xt_args *a);
int xt_dump_command(struct xt_session *s, struct xt_args *a);
int xt_peek_command(struct xt_session *s, struct xt_args *a);
int xt_poke_command(struct xt_session *s, struct xt_args *a);

u64 xt_user_stop(struct xt_buf *b);
int xt_cpuadd_command(struct xt_session *s, struct xt_args *a);
int xt_cpulock_command(struct xt_session *s, struct xt_args *a);
int xt_scribble_command(struct xt_session *s, struct xt_args *a);

#endif
