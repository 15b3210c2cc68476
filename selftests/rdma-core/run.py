#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Run rdma-core's own tests on an iWARP device.

    run.py TESTS DEVICE [NAME...]

TESTS is the folder of rdma-core's tests (Debian: python3-pyverbs has it). The tests connect QPs by
their numbers, as InfiniBand does. This runner connects each pair by rdma_cm instead, and then runs
the tests' own traffic. The tests also read the peer's memory as soon as an RDMA Write has
completed. On iWARP, the data may still be in flight at that time, so this runner reads again for
some time. It prints a line for each test: the name of the test, the result (ok, skip, error or
fail), and the reason, separated by tabs.
"""

import importlib.machinery
import os
import signal
import sys
import time
import unittest

SECONDS = 120  # time limit of one test
FIRST_PORT = 7400
PLACED = 2  # seconds to wait for data in flight


class Connector:
    """Connects the RC QPs of two players when both have requested a move to RTS."""

    def __init__(self, base):
        self.base = base
        self.port = FIRST_PORT
        self.waiting = None

    def to_rts(self, player):
        """Replace RCResources.to_rts(): the second of two players connects all QPs."""
        first = self.waiting
        if first is None or first.rqps_num != player.qps_num:
            self.waiting = player
            return
        self.waiting = None
        self.join(first, player)

    def join(self, first, player):
        """Connect all QPs of two players, each to the QP with the same index."""
        # The first player is the client of the tests. The client's messages consist of "c", and the
        # server's messages consist of "s". mem_read() waits for the octet that the player expects.
        first.awaited, player.awaited = b"s", b"c"
        netdev = self.base.RDMATestCase.get_net_name(player.dev_name, player.ib_port)
        address, _ = self.base.RDMATestCase.get_ip_mac_address(netdev)
        # The objects that hold the connections must exist as long as the players.
        first.connections = [
            self.connect(address, ours, theirs)
            for ours, theirs in zip(first.qps_num, player.qps_num)
        ]

    def connect(self, address, passive_qpn, active_qpn):
        """Connect two QPs by the device's own address. Return the objects that hold the
        connection."""
        from pyverbs import cm_enums as ce
        from pyverbs.cmid import AddrInfo, CMEvent, CMEventChannel, CMID, ConnParam

        def expect(channel, wanted):
            event = CMEvent(channel)
            if event.event_type != wanted:
                raise RuntimeError(f"rdma_cm: {event.event_str()}")
            return event

        port = str(self.port)
        self.port += 1
        passive, active = CMEventChannel(), CMEventChannel()
        listener = CMID(creator=passive, port_space=ce.RDMA_PS_TCP)
        listener.bind_addr(
            AddrInfo(
                src=address,
                src_service=port,
                port_space=ce.RDMA_PS_TCP,
                flags=ce.RAI_PASSIVE,
            )
        )
        listener.listen()
        there = AddrInfo(
            src=address, dst=address, dst_service=port, port_space=ce.RDMA_PS_TCP
        )
        initiator = CMID(creator=active, port_space=ce.RDMA_PS_TCP)
        initiator.resolve_addr(there)
        expect(active, ce.RDMA_CM_EVENT_ADDR_RESOLVED).ack_cm_event()
        initiator.resolve_route()
        expect(active, ce.RDMA_CM_EVENT_ROUTE_RESOLVED).ack_cm_event()
        initiator.connect(ConnParam(qp_num=active_qpn))
        request = expect(passive, ce.RDMA_CM_EVENT_CONNECT_REQUEST)
        responder = CMID(creator=request, listen_id=listener)
        request.ack_cm_event()
        responder.accept(ConnParam(qp_num=passive_qpn))
        expect(passive, ce.RDMA_CM_EVENT_ESTABLISHED).ack_cm_event()
        expect(active, ce.RDMA_CM_EVENT_ESTABLISHED).ack_cm_event()
        return listener, initiator, responder, passive, active


def mem_read(player, size=None, offset=0):
    """Replace BaseResources.mem_read(): wait for the data that the peer writes."""
    size = player.msg_size if size is None else size
    until = time.monotonic() + PLACED
    while True:
        data = player.mr.read(size, offset)
        awaited = getattr(player, "awaited", None)
        if not awaited or data == awaited * size or time.monotonic() > until:
            return data
        time.sleep(0.001)


def restate_qps(connector, test):
    """Replace MRTest.restate_qps(): move both QPs from ERR to RESET, and connect them again."""
    from pyverbs import enums as e
    from pyverbs.qp import QPAttr

    for player in (test.client, test.server):
        player.qp.modify(QPAttr(qp_state=e.IBV_QPS_RESET), e.IBV_QP_STATE)
        player.qp.to_init(QPAttr(port_num=player.ib_port))
    connector.join(test.client, test.server)


def forked_first(suite):
    """Get all tests. Tests that fork come first, because their children need an unused rdma_cm."""
    tests = []

    def collect(item):
        if isinstance(item, unittest.TestSuite):
            for each in item:
                collect(each)
        else:
            tests.append(item)

    collect(suite)
    return sorted(tests, key=lambda test: "test_rdmacm" not in test.id())


class Lines(unittest.TestResult):
    """Prints a line for each test when the test ends."""

    def __init__(self, out):
        super().__init__()
        self.out = out

    def startTest(self, test):
        super().startTest(test)
        signal.alarm(SECONDS)

    def stopTest(self, test):
        signal.alarm(0)
        super().stopTest(test)

    def say(self, test, verdict, why=""):
        name = test.id().removeprefix("tests.")
        why = " ".join(str(why).split())
        print(name, verdict, why[:200], sep="\t", file=self.out, flush=True)

    def addSuccess(self, test):
        super().addSuccess(test)
        self.say(test, "ok")

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.say(test, "skip", reason)

    def addError(self, test, err):
        super().addError(test, err)
        self.say(test, "error", f"{err[0].__name__}: {err[1]}")

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.say(test, "fail", f"{err[0].__name__}: {err[1]}")


def too_long(_signal, _frame):
    raise TimeoutError(f"not done after {SECONDS} s")


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    folder, device, names = sys.argv[1], sys.argv[2], sys.argv[3:]
    sys.path.insert(0, folder)
    sys.argv[1:] = ["--dev", device]
    # The results go to stdout. The output of the tests and of their child processes goes to stderr.
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    from args_parser import parser
    from pyverbs import enums as e

    parser.parse_args()
    tests = importlib.machinery.SourceFileLoader(
        "tests", f"{folder}/__init__.py"
    ).load_module()
    base = sys.modules["tests.base"]
    connector = Connector(base)
    # The tests choose creation flags for QPs at random. iWARP supports none of these flags, so
    # choose none.
    utils = sys.modules["tests.utils"]
    utils.random_qp_create_mask = lambda _type, _attr: e.IBV_QP_INIT_ATTR_PD.value
    base.RCResources.to_rts = lambda player: connector.to_rts(player)
    base.BaseResources.mem_read = mem_read
    regions = sys.modules["tests.test_mr"]
    regions.MRTest.restate_qps = lambda test: restate_qps(connector, test)
    signal.signal(signal.SIGALRM, too_long)
    loader = unittest.defaultTestLoader
    if names:
        suite = loader.loadTestsFromNames([f"tests.{name}" for name in names])
    else:
        suite = loader.loadTestsFromModule(tests)
    unittest.TestSuite(forked_first(suite)).run(Lines(out))


if __name__ == "__main__":
    main()
