# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The patches of the provider for rdma-core: the method of series.Core, the subject and the text of
each patch."""

STEPS = [
    ("kernel_header", "Update kernel headers",
     """\
     Add the header of the xiw driver. It comes with the kernel patches "RDMA/xiw: add an iWARP
     driver with RFC 7306"; replace this commit by kernel-headers/update when these patches
     are merged."""),
    ("provider", "xiw: Add a provider for the xiw iWARP driver",
     """\
     xiw is a driver for iWARP with the atomics and the immediate data of RFC 7306. It contains
     a software RNIC, and supports RNICs on the PCI bus that have the same rings. The provider
     is the same for both.

     Each SQ, RQ, SRQ and CQ is memory that the kernel allocates and the process maps. A
     doorbell is the uverbs command POST_SEND, POST_RECV or POST_SRQ_RECV without work
     requests; a receive queue needs a doorbell only if the kernel requests it. Polling and
     arming a CQ make no system call.

     The provider supports ibv_wr_*(), extended CQs with timestamps, resizing of CQs, SRQs,
     memory windows of type 2, parent domains and, where the RNIC accesses memory by DMA, dma-buf
     MRs."""),
    ("direct_verbs", "xiw: Add direct verbs",
     """\
     Add the parts of RFC 7306 that libibverbs does not support: masked atomics, all 64 bits
     of the immediate data, and a query whether this end allows atomics and immediate data on
     a connection. The manual page describes all functions."""),
    ("packages", "debian, redhat: Add the xiw provider",
     """\
     Install the library, the header and the manual page, and list the symbols. suse/ is left
     to its maintainer, because it has a package for each library."""),
]  # fmt: skip

COVER = ("Add a provider for the xiw iWARP driver", """\
xiw implements iWARP (RFC 5040, 5041, 5044 and 6581) on top of kernel TCP, and all of RFC 7306.
This series adds its provider and its direct verbs.

The series for the kernel is "RDMA/xiw: add an iWARP driver with RFC 7306". The
driver id is a number outside of enum rdma_driver_id until the kernel assigns one. When it does,
the first two patches must change.

The provider was tested with rping, perftest, libfabric, Open MPI, the tests of rdma-core, and a
fuzzer that corrupts the shared queues, on x86-64 only. The tests of rdma-core connect QPs by
number, for which iWARP defines no operation. A runner in the project of the driver connects each
pair of QPs by rdma_cm and runs the tests unmodified.
""")

MAINTAINERS = """\
XIW IWARP USERSPACE PROVIDER (for xiw.ko)
M:	The xiw authors <maintainers@xiw.invalid>
S:	Supported
F:	providers/xiw/

"""
