# SPDX-License-Identifier: Apache-2.0
# EmberSM: cases: hosts that abuse the subnet administrator, and hosts that want to be served.
"""One host misbehaves with raw datagrams of its own making; saquery, at another host, is answered."""
import struct
import subprocess
import threading
import time

import ibsim
import sa
from cases import Named
from checks import Expect

NODE_RECORD, CLASS_PORT_INFO = 0x11, 0x01


def Mad(method, attribute, transaction, key=0, rmpp=(0, 0, 0, 0, 0, 0)):
    header = struct.pack(">BBBBHHQHHI", 1, 3, 2, method, 0, 0, transaction, attribute, 0, 0)
    return header + struct.pack(">BBBBII", *rmpp) + struct.pack(">QHHQ", key, 0, 0, 0)


def HalfOpen(number):
    """A table whose first segment is never acknowledged."""
    return [Mad(sa.GET_TABLE, NODE_RECORD, 0x1000 + number)]


def WrongSegments(number):
    """A table, and ACKs of segments that were never sent, from before and from the end of time."""
    return [Mad(sa.GET_TABLE, NODE_RECORD, 0x2000 + number)] + [
        Mad(sa.GET_TABLE, NODE_RECORD, 0x2000 + number, rmpp=(1, kind, 0xF9, 0, segment, window))
        for kind, segment, window in ((2, 0xFFFFFFFF, 0), (2, 7000, 7064), (9, 1, 1), (4, 0, 0))]


def NeverEndingQuestions(number):
    """Questions in segments, of which none is the last."""
    return [Mad(0x14, 0x3A, 0x3000 + number, rmpp=(1, 1, 0xF9 | (2 if segment == 1 else 0), 0,
                                                   segment, 0)) for segment in (1, 2, 3, 4, 5, 9)]


def ForgedKeys(number):
    return [Mad(sa.GET, NODE_RECORD, 0x4000 + number, key=number + 2)]


def Flood(number):
    return [Mad(sa.GET, CLASS_PORT_INFO, 0x5000 + number)]


class Culprit(threading.Thread):
    """Misbehaves until told to stop, and reads what comes: ibsim stops for a client that does not."""

    def __init__(self, simulator, node, lid, abuse):
        super().__init__(daemon=True)
        self.simulator, self.node, self.lid, self.abuse = simulator, node, lid, abuse
        self.sent, self.stop = 0, threading.Event()

    def run(self):
        # pylint: disable=protected-access
        with sa.Client(self.simulator, self.node) as client:
            while not self.stop.is_set():
                for mad in self.abuse(self.sent):
                    client._PostSa(self.lid, mad)
                self.sent += 1
                while client._Receive(0) is not None:
                    pass

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stop.set()
        self.join(20)


def Saquery(context, node, *arguments):
    begun = time.monotonic()
    # Time for machines that are busy with other things: the flood takes all of a processor.
    done = subprocess.run(["saquery", "-t", "4000", *arguments], capture_output=True, text=True,
                          timeout=30, check=False, cwd=context.directory,
                          env=context.simulator.Environment(node, context.tools.preload))
    Expect(done.returncode == 0, "saquery %s: exit status %d: %s", " ".join(arguments),
           done.returncode, done.stderr.strip()[-200:])
    return done.stdout, time.monotonic() - begun


@Named("sa.abuse", kinds=("embersm",))
def AbuseKeepsNobodyWaiting(context):
    """Half-open tables, wrong segments, endless questions, forged keys, floods: others are served."""
    simulator = context.Simulate("ft2-k8")
    seat, culprit, honest = (host.name for host in simulator.hosts[:3])
    manager = context.Manage(seat)
    manager.WaitUp()
    with ibsim.Client(simulator, seat) as client:
        lid = ibsim.PortField(client.Ask((), ibsim.PORT_INFO)[1], "lid")
    wanted = Saquery(context, honest, "NR")[0]
    Expect(wanted.count("NodeRecord dump") == len(simulator.nodes), "not every node is told")
    slowest = 0.0
    for abuse in (HalfOpen, WrongSegments, NeverEndingQuestions, ForgedKeys, Flood):
        with Culprit(simulator, culprit, lid, abuse) as thread:
            for _ in range(3):
                before = thread.sent
                while thread.is_alive() and thread.sent < before + 200:
                    time.sleep(0.01)
                text, took = Saquery(context, honest, "NR")
                Expect(text == wanted, "%s: another host is told something else", abuse.__name__)
                slowest = max(slowest, took)
        context.Note("%s: %d times", abuse.__name__, thread.sent)
    Expect(manager.IsRunning(), "it has ended")
    Expect(slowest < 20, "another host waits for %.1f s", slowest)
    context.Note("the slowest honest query took %.2f s", slowest)
