# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The driver as patches in the order of review: what each adds, and its text."""

# The patches: name, folders and files of driver/, subject, and body. A header is in an earlier
# patch if that patch includes it.
STEPS = [
    ("core", ["core"], "add the protocol",
     """\
     MPA, DDP and RDMAP as pure code: no locks, no allocation, no time, no sockets. It frames
     and checks FPDUs (RFC 5044), matches DDP segments to messages (RFC 5041, RFC 7306) and
     has tables of the opcodes, of the Terminate codes and of the states of a stream. The
     driver uses it above and below the ring interface.

     Where the RFCs leave a choice, comments cite an entry of decisions.rst."""),
    ("ring", ["ring", "diag"], "add the ring interface",
     """\
     The line between DDP and RDMAP is the line between this driver and an RNIC. What RDMAP
     passes to DDP crosses rings in memory that a device can access, so the driver reads each
     word of a device once and checks it. Each completion vector is one NAPI instance, whose
     poll handles the events of the RNIC.

     Counters, the flight recorder and the tracepoints are part of this patch, because all
     later ones use them."""),
    ("soft", ["soft"], "add the software RNIC",
     """\
     The software RNIC has the rings of a device, over a kernel TCP socket. It cuts messages
     into FPDUs of exactly one TCP segment, verifies each FPDU in the socket buffer before it
     places the payload, and runs in softirq."""),
    ("verbs", ["verbs", "queue", "rdmap", "device.c", "address.c"], "add RDMAP, queues and verbs",
     """\
     The device, its objects and its queues. A work request becomes a descriptor of the TX
     ring when ring, ORD and fence allow it; completions stay in order. The queues of a user
     are memory that the process shares; the kernel reads each slot once."""),
    ("cm", ["cm"], "add connection management",
     """\
     What iw_cm calls: connect, listen, accept and reject, with the enhanced connection setup
     of RFC 6581. iw_cm names a QP by its number, so the driver checks that the QP belongs to
     the caller."""),
    ("netlink", ["netlink", "main.c", "link.c"], "add netlink and the module",
     """\
     A generic netlink family returns the state of devices, connections and rings, sets their
     configuration and reports events. The module adds a device for "rdma link add". This
     patch also adds the options, as the module is complete now."""),
    ("pci", ["pci"], "add the PCI Express RNIC",
     """\
     A PCI function with the registers and rings of the interface gets a network interface,
     for addresses and routes, and an RDMA device. Reset, suspend and bus errors remove the
     device and create a new one."""),
    ("tests", ["tests"], "add a module that exercises verbs",
     """\
     xiw_test calls verbs and rdma_cm as a kernel ULP does, by commands that are written to
     /dev/xiw_test."""),
]  # fmt: skip

COVER = ("add an iWARP driver with RFC 7306", """\
xiw implements iWARP (RFC 5040, 5041, 5044 and 6581) on top of kernel TCP, and all of RFC
7306: remote FetchAdd and CmpSwap, with and without masks, and RDMA Write with Immediate. siw
has none of RFC 7306.

The driver is RDMAP and verbs. It talks to an RNIC, which is DDP, MPA and TCP, through rings
in memory. Two RNICs exist: the software RNIC of this series, and PCI Express functions.
Documentation/infiniband/xiw describes the interface, the states, and what the driver does
where the RFCs leave a choice.

Each patch adds one layer, from the protocol up. The objects of each patch compile when it is
applied. The options come when the module is complete, with the netlink patch.""")

PATCH = {place: number for number, step in enumerate(STEPS) for place in step[1]}
LAST = len(STEPS) - 1
COMPLETE = PATCH["main.c"]
