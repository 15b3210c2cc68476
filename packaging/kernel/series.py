# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The patches of the driver in the order of review: the files and the text of each patch."""

# A row for each patch: its name, the folders and files of driver/ that it adds, its subject, and
# its body. If a file includes a header of a later patch, the file's patch adds the header.
STEPS = [
    ("core", ["core"], "add the protocol",
     """\
     The core implements MPA, DDP and RDMAP as pure code, without locks, allocations, time and
     sockets. It frames and checks FPDUs (RFC 5044), matches DDP segments to messages (RFC
     5041, RFC 7306) and contains tables of the opcodes, of the Terminate codes and of the
     states of a stream. The driver uses the core above and below the ring interface.

     If the RFCs leave a choice, comments cite an entry of decisions.rst."""),
    ("ring", ["ring", "diag"], "add the ring interface",
     """\
     The border between DDP and RDMAP is also the border between this driver and an RNIC.
     Everything that RDMAP passes to DDP crosses rings in memory that a device can access, so
     the driver reads each word of a device once and checks it. Each completion vector is one
     NAPI instance, whose poll handles the events of the RNIC.

     Counters, the flight recorder and the tracepoints are part of this patch, because all
     later patches use them."""),
    ("soft", ["soft"], "add the software RNIC",
     """\
     The software RNIC has the rings of a device, over a kernel TCP socket. It cuts messages
     into FPDUs that fit a TCP segment, verifies each FPDU in the socket buffer before it places
     the payload, and runs in softirq."""),
    ("verbs", ["verbs", "queue", "rdmap", "device.c", "address.c"], "add RDMAP, queues and verbs",
     """\
     Add the device, its objects and its queues. A work request becomes a descriptor of the TX
     ring when ring, ORD and fence permit; completions stay in order. The queues of a user are
     memory that the kernel and the process share; the kernel reads each slot once."""),
    ("cm", ["cm"], "add connection management",
     """\
     Add the functions that iw_cm calls: connect, listen, accept and reject, with the enhanced
     connection setup of RFC 6581. iw_cm names a QP by its number, so the driver checks that
     the QP belongs to the caller."""),
    ("netlink", ["netlink", "main.c", "link.c"], "add netlink and the module",
     """\
     A generic netlink family returns the state of devices, connections and rings, sets their
     configuration and reports events. The module adds a device for "rdma link add". This
     patch also adds the options, because the module is now complete."""),
    ("pci", ["pci"], "add the PCI Express RNIC",
     """\
     A PCI function with the registers and rings of the interface gets a network interface,
     for addresses and routes, and an RDMA device. Reset, suspend and bus errors remove the
     device and create a new one."""),
    ("tests", ["tests"], "add a module that exercises verbs",
     """\
     xiw_test calls verbs and rdma_cm as a kernel ULP does. User space writes the commands to
     /dev/xiw_test."""),
]  # fmt: skip

COVER = ("add an iWARP driver with RFC 7306", """\
xiw implements iWARP (RFC 5040, 5041, 5044 and 6581) on top of kernel TCP, and all of RFC
7306: remote FetchAdd and CmpSwap, with and without masks, and RDMA Write with Immediate. siw
does not implement RFC 7306.

The driver implements RDMAP and verbs. An RNIC implements DDP, MPA and TCP. The two communicate
through rings in memory. There are two kinds of RNICs: the software RNIC of this series, and PCI
Express functions. Documentation/infiniband/xiw describes the interface, the states, and the
decisions of the driver where the RFCs leave a choice.

Each patch adds one layer, from the protocol up. The objects of each patch compile when it is
applied. The netlink patch adds the options, because the module is then complete.""")

PATCH = {place: number for number, step in enumerate(STEPS) for place in step[1]}
LAST = len(STEPS) - 1
COMPLETE = PATCH["main.c"]
