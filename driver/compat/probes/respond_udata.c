// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// by 7.2: helpers check the input udata and clear the excess of the output
#include <rdma/uverbs_ioctl.h>

struct abi {
	u32 a;
	u32 b;
};

static int __maybe_unused probe(struct ib_udata *udata)
{
	struct abi abi;
	int err = ib_copy_validate_udata_in(udata, abi, b);

	return err ?: ib_is_udata_in_empty(udata) ?: ib_respond_udata(udata, abi);
}
