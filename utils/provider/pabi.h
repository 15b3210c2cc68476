/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * The part of libibverbs' private interface for providers that this provider uses. The interface
 * has a number. XIW_PABI selects number 34 (rdma-core 39 to 59: Debian 12 and 13) or number 65
 * (rdma-core 65). Debian packages do not contain rdma-core's header of this interface, so this file
 * declares the interface. libibverbs cannot load a provider that was built for another number,
 * because the symbol versions differ. check-pabi compares offsets and prototypes with an unpacked
 * source of rdma-core.
 */
#ifndef XIW_PABI_H
#define XIW_PABI_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <infiniband/verbs.h>
#include <rdma/ib_user_verbs.h>

#ifndef XIW_PABI
#define XIW_PABI 34
#endif

/* Number 65 adds operations and arguments to number 34. The provider does not use them. */
#if XIW_PABI == 65
#define PABI_65_OPS(...) verbs_unused_op __VA_ARGS__;
#define PABI_65_PARAMETER(...) __VA_ARGS__,
#define PABI_65_NOTHING NULL,
#elif XIW_PABI == 34
#define PABI_65_OPS(...)
#define PABI_65_PARAMETER(...)
#define PABI_65_NOTHING
#else
#error "this interface of libibverbs is not known: see check-pabi"
#endif

enum {
	VERBS_LOG_ERR = 1,
	VERBS_LOG_WARN = 2,
	VERBS_LOG_INFO = 3,
	VERBS_LOG_DEBUG = 4,
};

enum {
	VERBS_QP_EX = 1 << 1,			/* bit of verbs_qp.comp_mask */
	VERBS_MATCH_DRIVER_ID = 3,
	CREATE_CQ_CMD_FLAGS_TS_IGNORED_EX = 1 << 0,
};

struct verbs_xrcd;
struct verbs_sysfs_dev;

struct verbs_srq {
	struct ibv_srq srq;
	enum ibv_srq_type srq_type;
	struct verbs_xrcd *xrcd;
	struct ibv_cq *cq;
	uint32_t srq_num;
};

struct verbs_mr {
	struct ibv_mr ibv_mr;
	int mr_type;
	int access;
};

struct verbs_qp {
	union {
		struct ibv_qp qp;
		struct ibv_qp_ex qp_ex;
	};
	uint32_t comp_mask;
	struct verbs_xrcd *xrcd;
};

struct verbs_cq {
	union {
		struct ibv_cq cq;
		struct ibv_cq_ex cq_ex;
	};
};

struct verbs_match_ent {
	void *driver_data;
	union {
		const char *modalias;
		uint64_t driver_id;
	} u;
	uint16_t vendor;
	uint16_t device;
	uint8_t kind;
};

struct verbs_device {
	struct ibv_device device;
	const struct verbs_device_ops *ops;
	atomic_int refcount;
	void *list[2];
	struct verbs_sysfs_dev *sysfs;
	uint64_t core_support;
};

struct verbs_device_ops {
	const char *name;
	uint32_t match_min_abi_version;
	uint32_t match_max_abi_version;
	const struct verbs_match_ent *match_table;
	const struct verbs_device_ops **static_providers;
	bool (*match_device)(struct verbs_sysfs_dev *sysfs_dev);
	struct verbs_context *(*alloc_context)(struct ibv_device *device, int cmd_fd,
					       void *private_data);
	struct verbs_context *(*import_context)(struct ibv_device *device, int cmd_fd);
	struct verbs_device *(*alloc_device)(struct verbs_sysfs_dev *sysfs_dev);
	void (*uninit_device)(struct verbs_device *device);
};

typedef void (*verbs_unused_op)(void);	/* operations that the provider does not implement */

/* The order of the operations is part of the interface. libibverbs sorts them by name. */
struct verbs_context_ops {
	verbs_unused_op advise_mr;
	PABI_65_OPS(alloc_buf)
	verbs_unused_op alloc_dm;
	PABI_65_OPS(alloc_dmah)
	struct ibv_mw *(*alloc_mw)(struct ibv_pd *pd, enum ibv_mw_type type);
	verbs_unused_op alloc_null_mr;
	struct ibv_pd *(*alloc_parent_domain)(struct ibv_context *context,
					      struct ibv_parent_domain_init_attr *attr);
	struct ibv_pd *(*alloc_pd)(struct ibv_context *context);
	struct ibv_td *(*alloc_td)(struct ibv_context *context, struct ibv_td_init_attr *attr);
	void (*async_event)(struct ibv_context *context, struct ibv_async_event *event);
	verbs_unused_op attach_counters_point_flow, attach_mcast;
	int (*bind_mw)(struct ibv_qp *qp, struct ibv_mw *mw, struct ibv_mw_bind *mw_bind);
	verbs_unused_op close_xrcd;
	void (*cq_event)(struct ibv_cq *cq);
	verbs_unused_op create_ah;
	PABI_65_OPS(create_comp_cntr)
	verbs_unused_op create_counters;
	struct ibv_cq *(*create_cq)(struct ibv_context *context, int cqe,
				    struct ibv_comp_channel *channel, int comp_vector);
	struct ibv_cq_ex *(*create_cq_ex)(struct ibv_context *context,
					  struct ibv_cq_init_attr_ex *attr);
	verbs_unused_op create_flow, create_flow_action_esp;
	struct ibv_qp *(*create_qp)(struct ibv_pd *pd, struct ibv_qp_init_attr *attr);
	struct ibv_qp *(*create_qp_ex)(struct ibv_context *context,
				       struct ibv_qp_init_attr_ex *attr);
	verbs_unused_op create_rwq_ind_table;
	struct ibv_srq *(*create_srq)(struct ibv_pd *pd, struct ibv_srq_init_attr *attr);
	struct ibv_srq *(*create_srq_ex)(struct ibv_context *context,
					 struct ibv_srq_init_attr_ex *attr);
	verbs_unused_op create_wq;
	PABI_65_OPS(dealloc_dmah)
	int (*dealloc_mw)(struct ibv_mw *mw);
	int (*dealloc_pd)(struct ibv_pd *pd);
	int (*dealloc_td)(struct ibv_td *td);
	int (*dereg_mr)(struct verbs_mr *vmr);
	verbs_unused_op destroy_ah;
	PABI_65_OPS(destroy_comp_cntr)
	verbs_unused_op destroy_counters;
	int (*destroy_cq)(struct ibv_cq *cq);
	verbs_unused_op destroy_flow, destroy_flow_action;
	int (*destroy_qp)(struct ibv_qp *qp);
	verbs_unused_op destroy_rwq_ind_table;
	int (*destroy_srq)(struct ibv_srq *srq);
	verbs_unused_op destroy_wq, detach_mcast;
	PABI_65_OPS(dm_export_dmabuf_fd, free_buf)
	void (*free_context)(struct ibv_context *context);
	verbs_unused_op free_dm, get_srq_num, import_dm, import_mr, import_pd;
	PABI_65_OPS(inc_comp_cntr, inc_err_comp_cntr)
	int (*modify_cq)(struct ibv_cq *cq, struct ibv_modify_cq_attr *attr);
	verbs_unused_op modify_flow_action_esp;
	int (*modify_qp)(struct ibv_qp *qp, struct ibv_qp_attr *attr, int attr_mask);
	verbs_unused_op modify_qp_rate_limit;
	int (*modify_srq)(struct ibv_srq *srq, struct ibv_srq_attr *attr, int attr_mask);
	verbs_unused_op modify_wq, open_qp, open_xrcd;
	int (*poll_cq)(struct ibv_cq *cq, int num_entries, struct ibv_wc *wc);
	int (*post_recv)(struct ibv_qp *qp, struct ibv_recv_wr *wr,
			 struct ibv_recv_wr **bad_wr);
	int (*post_send)(struct ibv_qp *qp, struct ibv_send_wr *wr,
			 struct ibv_send_wr **bad_wr);
	verbs_unused_op post_srq_ops;
	int (*post_srq_recv)(struct ibv_srq *srq, struct ibv_recv_wr *wr,
			     struct ibv_recv_wr **bad_wr);
	PABI_65_OPS(qp_attach_comp_cntr, query_comp_cntr_caps)
	int (*query_device_ex)(struct ibv_context *context,
			       const struct ibv_query_device_ex_input *input,
			       struct ibv_device_attr_ex *attr, size_t attr_size);
	verbs_unused_op query_ece;
	int (*query_port)(struct ibv_context *context, uint8_t port_num,
			  struct ibv_port_attr *attr);
	PABI_65_OPS(query_port_speed)
	int (*query_qp)(struct ibv_qp *qp, struct ibv_qp_attr *attr, int attr_mask,
			struct ibv_qp_init_attr *init_attr);
	int (*query_qp_data_in_order)(struct ibv_qp *qp, enum ibv_wr_opcode op, uint32_t flags);
	int (*query_rt_values)(struct ibv_context *context, struct ibv_values_ex *values);
	int (*query_srq)(struct ibv_srq *srq, struct ibv_srq_attr *attr);
	PABI_65_OPS(read_comp_cntr)
	verbs_unused_op read_counters;
	PABI_65_OPS(read_err_comp_cntr)
	verbs_unused_op reg_dm_mr;
	struct ibv_mr *(*reg_dmabuf_mr)(struct ibv_pd *pd, uint64_t offset, size_t length,
					uint64_t iova, int fd, int access);
	struct ibv_mr *(*reg_mr)(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova,
				 int access);
	PABI_65_OPS(reg_mr_ex)
	int (*req_notify_cq)(struct ibv_cq *cq, int solicited_only);
	int (*rereg_mr)(struct verbs_mr *vmr, int flags, struct ibv_pd *pd, void *addr,
			size_t length, int access);
	int (*resize_cq)(struct ibv_cq *cq, int cqe);
	PABI_65_OPS(set_comp_cntr)
	verbs_unused_op set_ece;
	PABI_65_OPS(set_err_comp_cntr)
	verbs_unused_op unimport_dm, unimport_mr, unimport_pd;
};

/*
 * A request consists of libibverbs' header, the kernel's structure and the driver data of
 * xiw-abi.h. A response consists of the kernel's structure and the driver data. PABI_REQ() declares
 * the header and the kernel's structure of a request.
 */
#define PABI_REQ(name, kernel)			\
	struct name {				\
		struct ib_uverbs_cmd_hdr hdr;	\
		struct kernel core;		\
	}
#define PABI_REQ_EX(name, kernel)		\
	struct name {				\
		struct ib_uverbs_cmd_hdr hdr;	\
		struct ib_uverbs_ex_cmd_hdr ex;	\
		struct kernel core;		\
	}

PABI_REQ(ibv_get_context, ib_uverbs_get_context);
PABI_REQ(ibv_query_port, ib_uverbs_query_port);
PABI_REQ(ibv_alloc_pd, ib_uverbs_alloc_pd);
PABI_REQ(ibv_reg_mr, ib_uverbs_reg_mr);
PABI_REQ(ibv_rereg_mr, ib_uverbs_rereg_mr);
PABI_REQ(ibv_alloc_mw, ib_uverbs_alloc_mw);
PABI_REQ(ibv_resize_cq, ib_uverbs_resize_cq);
PABI_REQ(ibv_create_srq, ib_uverbs_create_srq);
PABI_REQ(ibv_modify_srq, ib_uverbs_modify_srq);
PABI_REQ(ibv_query_srq, ib_uverbs_query_srq);
PABI_REQ(ibv_create_qp, ib_uverbs_create_qp);
PABI_REQ(ibv_query_qp, ib_uverbs_query_qp);
PABI_REQ(ibv_modify_qp, ib_uverbs_modify_qp);
PABI_REQ(ibv_post_send, ib_uverbs_post_send);
PABI_REQ_EX(ibv_create_cq_ex, ib_uverbs_ex_create_cq);
PABI_REQ_EX(ibv_modify_cq, ib_uverbs_ex_modify_cq);

#define PABI_JOIN(name, number) name##number
#define PABI_NUMBERED(name, number) PABI_JOIN(name, number)
#define verbs_register_driver PABI_NUMBERED(verbs_register_driver_, XIW_PABI)
void verbs_register_driver(const struct verbs_device_ops *ops);
void *_verbs_init_and_alloc_context(struct ibv_device *device, int cmd_fd, size_t alloc_size,
				    struct verbs_context *context_offset, uint32_t driver_id);
void verbs_uninit_context(struct verbs_context *context);
void verbs_set_ops(struct verbs_context *context, const struct verbs_context_ops *ops);
void __verbs_log(struct verbs_context *context, uint32_t level, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

struct ibv_command_buffer;
struct ibv_fd_arr;
struct verbs_create_cq_prov_attr;

/* All functions ibv_cmd_* return 0 or an errno. */
int ibv_cmd_get_context(struct verbs_context *context, struct ibv_get_context *cmd,
			size_t cmd_size, PABI_65_PARAMETER(struct ibv_fd_arr *fds)
			struct ib_uverbs_get_context_resp *resp, size_t resp_size);
int ibv_cmd_query_device_any(struct ibv_context *context,
			     const struct ibv_query_device_ex_input *input,
			     struct ibv_device_attr_ex *attr, size_t attr_size,
			     struct ib_uverbs_ex_query_device_resp *resp, size_t *resp_size);
int ibv_cmd_query_port(struct ibv_context *context, uint8_t port_num,
		       struct ibv_port_attr *attr, struct ibv_query_port *cmd,
		       size_t cmd_size);
int ibv_cmd_alloc_pd(struct ibv_context *context, struct ibv_pd *pd, struct ibv_alloc_pd *cmd,
		     size_t cmd_size, struct ib_uverbs_alloc_pd_resp *resp, size_t resp_size);
int ibv_cmd_dealloc_pd(struct ibv_pd *pd);
int ibv_cmd_reg_mr(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova, int access,
		   struct verbs_mr *vmr, struct ibv_reg_mr *cmd, size_t cmd_size,
		   struct ib_uverbs_reg_mr_resp *resp, size_t resp_size);
/* The function of rdma-core 44 has no parameter `driver`, and ignores the argument. */
int ibv_cmd_reg_dmabuf_mr(struct ibv_pd *pd, uint64_t offset, size_t length, uint64_t iova,
			  int fd, int access, struct verbs_mr *vmr,
			  struct ibv_command_buffer *driver);
int ibv_cmd_rereg_mr(struct verbs_mr *vmr, uint32_t flags, void *addr, size_t length,
		     uint64_t iova, int access, struct ibv_pd *pd, struct ibv_rereg_mr *cmd,
		     size_t cmd_size, struct ib_uverbs_rereg_mr_resp *resp, size_t resp_size);
int ibv_cmd_dereg_mr(struct verbs_mr *vmr);
int ibv_cmd_alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type, struct ibv_mw *mw,
		     struct ibv_alloc_mw *cmd, size_t cmd_size,
		     struct ib_uverbs_alloc_mw_resp *resp, size_t resp_size);
int ibv_cmd_dealloc_mw(struct ibv_mw *mw);
int ibv_cmd_create_cq_ex(struct ibv_context *context, const struct ibv_cq_init_attr_ex *attr,
			 PABI_65_PARAMETER(struct verbs_create_cq_prov_attr *prov)
			 struct verbs_cq *cq, struct ibv_create_cq_ex *cmd, size_t cmd_size,
			 struct ib_uverbs_ex_create_cq_resp *resp, size_t resp_size,
			 uint32_t cmd_flags);
int ibv_cmd_resize_cq(struct ibv_cq *cq, int cqe, struct ibv_resize_cq *cmd, size_t cmd_size,
		      struct ib_uverbs_resize_cq_resp *resp, size_t resp_size);
int ibv_cmd_modify_cq(struct ibv_cq *cq, struct ibv_modify_cq_attr *attr,
		      struct ibv_modify_cq *cmd, size_t cmd_size);
int ibv_cmd_destroy_cq(struct ibv_cq *cq);
int ibv_cmd_create_srq(struct ibv_pd *pd, struct ibv_srq *srq, struct ibv_srq_init_attr *attr,
		       struct ibv_create_srq *cmd, size_t cmd_size,
		       struct ib_uverbs_create_srq_resp *resp, size_t resp_size);
int ibv_cmd_modify_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr, int attr_mask,
		       struct ibv_modify_srq *cmd, size_t cmd_size);
int ibv_cmd_query_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr,
		      struct ibv_query_srq *cmd, size_t cmd_size);
int ibv_cmd_destroy_srq(struct ibv_srq *srq);
int ibv_cmd_create_qp_ex(struct ibv_context *context, struct verbs_qp *qp,
			 struct ibv_qp_init_attr_ex *attr, struct ibv_create_qp *cmd,
			 size_t cmd_size, struct ib_uverbs_create_qp_resp *resp,
			 size_t resp_size);
int ibv_cmd_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int attr_mask,
		     struct ibv_qp_init_attr *init_attr, struct ibv_query_qp *cmd,
		     size_t cmd_size);
int ibv_cmd_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int attr_mask,
		      struct ibv_modify_qp *cmd, size_t cmd_size);
int ibv_cmd_destroy_qp(struct ibv_qp *qp);

#endif
