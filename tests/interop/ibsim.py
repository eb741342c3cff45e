# SPDX-License-Identifier: Apache-2.0
# EmberSM: runs ibsim, drives its console, and asks its nodes with raw SMPs.
"""ibsim from Python.

Simulator(netlist, directory) starts one ibsim, on a socket name of its own. Client(simulator, node)
attaches to a node in ibsim's own protocol, without any preload: it is the independent witness that
says what the ports and tables of the simulated fabric really hold, whatever a subnet manager claims.

ibsim serves ten clients and stops for one that does not read, so a client here asks in bounded
windows, drains its socket every time it is used, and is closed early.
"""
import collections
import ctypes
import itertools
import os
import queue
import re
import select
import socket
import struct
import subprocess
import threading
import time

GET, SET = 1, 2
NODE_INFO, SWITCH_INFO, PORT_INFO = 0x11, 0x12, 0x15
LINEAR_FORWARDING_TABLE, SM_INFO = 0x19, 0x20

CONTROL_CONNECT, CONTROL_DISCONNECT, CONTROL_MAGIC = 1, 2, 0xDEADBEEF
PACKET = struct.Struct("=5I4x8s256s")  # dlid, slid, dqp, sqp, status, length, MAD
CONTROL = struct.Struct("=4I64s")
LENGTH = struct.pack(">Q", 256)
PERMISSIVE = 0xFFFF

# PortInfo fields that the tests read: first bit and width (IBA vol. 1, 14.2.5.6).
PORT_FIELDS = {
    "gid_prefix": (64, 64), "lid": (128, 16), "master_sm_lid": (144, 16), "capabilities": (160, 32),
    "state": (260, 4), "physical_state": (264, 4), "lmc": (277, 3), "operational_vls": (344, 4),
}
DOWN, INIT, ARMED, ACTIVE = 1, 2, 3, 4


def PortField(attribute, name):
    bit, width = PORT_FIELDS[name]
    return int.from_bytes(attribute, "big") >> (512 - bit - width) & ((1 << width) - 1)


def WithPortField(attribute, name, value):
    bit, width = PORT_FIELDS[name]
    shift = 512 - bit - width
    whole = int.from_bytes(attribute, "big") & ~(((1 << width) - 1) << shift) | value << shift
    return whole.to_bytes(64, "big")


Peer = collections.namedtuple("Peer", "node port")


class Node:
    """One node of the netlist; `ports` maps a port number to its Peer."""

    def __init__(self, name, is_switch, port_count):
        self.name, self.is_switch, self.port_count = name, is_switch, port_count
        self.ports, self.guid = {}, 0

    def PortGuid(self, port):
        return self.guid if self.is_switch else self.guid + port

    def end_ports(self):
        """The ports that own a LID when their link is up."""
        return [0] if self.is_switch else sorted(self.ports)


def ReadNetlist(path):
    nodes, current = {}, None
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            head = re.match(r'(Switch|Ca|Hca|Rt)\s+(\d+)\s+"([^"]+)"', line)
            if head:
                current = nodes[head[3]] = Node(head[3], head[1] == "Switch", int(head[2]))
                continue
            cable = re.match(r'\[(\d+)\][^"]*"([^"]+)"\[(\d+)\]', line)
            if cable:
                current.ports[int(cable[1])] = Peer(cable[2], int(cable[3]))
    return nodes


def DieWithParent():
    """An ibsim whose standard input has ended spins for ever; PR_SET_PDEATHSIG ends it."""
    ctypes.CDLL(None).prctl(1, 9)


class Simulator:
    _count = itertools.count()
    ROOM = ("-N", "70000", "-S", "12000", "-P", "800000", "-L", "49152", "-M", "1024")

    def __init__(self, netlist, directory):
        self.netlist, self.directory = os.path.abspath(netlist), directory
        self.name = "ember.%d.%d" % (os.getpid(), next(Simulator._count))
        self.nodes = ReadNetlist(self.netlist)
        self._errors = open(os.path.join(directory, "ibsim.log"), "ab")
        self.process = subprocess.Popen(
            ["ibsim", "-s", *Simulator.ROOM, self.netlist], cwd=directory, text=True, bufsize=1,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors,
            preexec_fn=DieWithParent, env=dict(os.environ, IBSIM_SOCKNAME=self.name))
        self._replies = queue.Queue()
        threading.Thread(target=self._ReadReplies, daemon=True).start()
        self._AwaitPrompt(120)
        for name, guid in re.findall(r'"([^"]+)"\tnodeguid (\w+)', self.Console("Dump", 60)):
            self.nodes[name].guid = int(guid, 16)
        self.switches = [node for node in self.nodes.values() if node.is_switch]
        self.hosts = [node for node in self.nodes.values() if not node.is_switch]

    def _ReadReplies(self):
        text = ""
        while True:
            chunk = os.read(self.process.stdout.fileno(), 1 << 16).decode(errors="replace")
            if not chunk:
                self._replies.put(None)
                return
            text += chunk
            while "sim> " in text:
                reply, text = text.split("sim> ", 1)
                self._replies.put(reply)

    def _AwaitPrompt(self, timeout_s):
        reply = self._replies.get(timeout=timeout_s)
        if reply is None:
            raise RuntimeError("ibsim ended by itself; see ibsim.log")
        return reply

    def Console(self, line, timeout_s=30):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self._AwaitPrompt(timeout_s)

    @staticmethod
    def _Place(node, port):
        return '"%s"' % node if port is None else '"%s"[%d]' % (node, port)

    def Unlink(self, node, port=None):
        self.Console("Unlink " + self._Place(node, port))

    def Relink(self, node, port=None):
        self.Console("ReLink " + self._Place(node, port))

    def PowerOff(self, node):
        """As Unlink, and the LIDs of the node are forgotten, as after a reboot."""
        self.Console("Clear " + self._Place(node, None))

    def Lose(self, node, percent, port=None):
        self.Console("Error %s %d" % (self._Place(node, port), percent))

    def ForgetTheDead(self):
        """Frees the places of clients that died without a farewell; ibsim has ten."""
        for slot, pid in re.findall(r"Client (\d+): pid (\d+)", self.Console("Attached")):
            if int(pid) < Client.FIRST_ID and not os.path.exists("/proc/" + pid):
                self.Console("X " + slot)

    def Environment(self, node=None, preload=None, **more):
        environment = dict(os.environ, IBSIM_SOCKNAME=self.name, **more)
        environment.pop("SIM_HOST", None)
        environment.pop("LD_PRELOAD", None)
        if node:
            environment["SIM_HOST"] = node
        if preload:
            environment["LD_PRELOAD"] = preload
        return environment

    def Close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self._errors.close()

    # The fabric as the netlist wires it, without the cables in `down`: a set of (node, port).
    def Cables(self, down=()):
        for node in self.nodes.values():
            for port, peer in node.ports.items():
                if (node.name, port) not in down and tuple(peer) not in down:
                    yield node, port, self.nodes[peer.node], peer.port

    def Routes(self, source, down=()):
        """A shortest directed route, as a tuple of ports, to every node that can be reached."""
        neighbors = collections.defaultdict(list)
        for node, port, peer, _ in self.Cables(down):
            neighbors[node.name].append((port, peer.name))
        routes, pending = {source: ()}, collections.deque([source])
        while pending:
            here = pending.popleft()
            if here != source and not self.nodes[here].is_switch:
                continue
            for port, peer in sorted(neighbors[here]):
                if peer not in routes:
                    routes[peer] = routes[here] + (port,)
                    pending.append(peer)
        return routes


class Unanswered(Exception):
    """No answer came, or ibsim said that the packet could not be delivered."""


class Client:
    """Asks from the management port of one node. No thread: answers are read while one asks."""

    FIRST_ID = 1 << 28  # Above every process number, so that a client is never taken for a process.
    _ids = itertools.count(FIRST_ID + (os.getpid() << 8 & 0xFFFFF00))

    def __init__(self, simulator, node, m_key=0):
        self.simulator, self.node, self._id = simulator, node, next(Client._ids)
        self.m_key = m_key
        self._number, self._transaction = 0, itertools.count(1)
        self._control, self._data = self._Bind("ctl%d" % self._id), self._Bind("in%d" % self._id)
        self._control.settimeout(20)
        self._control.connect(self._Address("ctl"))
        hello = struct.pack("=III32s", self._id, 0, 0, node.encode()[:31])
        self._number = struct.unpack("=I", self._Command(CONTROL_CONNECT, hello)[:4])[0]
        self._data.connect(self._Address("out%d" % self._number))
        self._data.setblocking(False)

    def _Address(self, what):
        return "\0%s:%s\0" % (self.simulator.name, what)

    def _Bind(self, what):
        endpoint = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        endpoint.bind(self._Address(what))
        return endpoint

    def _Command(self, kind, data=b""):
        self._control.send(CONTROL.pack(CONTROL_MAGIC, self._number, kind, len(data), data))
        answer = self._control.recv(256)
        if struct.unpack("=I", answer[8:12])[0] == 0:
            raise RuntimeError("ibsim refused a client at " + self.node)
        return answer[16:]

    def Close(self):
        if self._number >= 0:
            self._Command(CONTROL_DISCONNECT)
            self._data.close()
            self._control.close()
            self._number = -1

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.Close()

    def _Post(self, to, method, attribute, modifier, data):
        transaction = next(self._transaction) & 0xFFFFFFFF
        if isinstance(to, int):
            mad = struct.pack(">BBBBHHQHHIQ32s64s", 1, 1, 1, method, 0, 0, transaction, attribute,
                              0, modifier, self.m_key, b"", data)
            lid = to
        else:
            mad = struct.pack(">BBBBHBBQHHIQHH28s64s64s", 1, 0x81, 1, method, 0, 0, len(to),
                              transaction, attribute, 0, modifier, self.m_key, PERMISSIVE, PERMISSIVE,
                              b"", data, bytes((0, *to)))
            lid = PERMISSIVE
        packet = PACKET.pack(socket.htons(lid), PERMISSIVE if lid == PERMISSIVE else 0, 0, 0, 0,
                             LENGTH, mad.ljust(256, b"\0"))
        while True:
            try:
                self._data.send(packet)
                return transaction
            except BlockingIOError:
                select.select((), (self._data,), (), 1)

    def _Receive(self, deadline):
        """One answer as (transaction, MAD or None where undeliverable), or None at the deadline."""
        while True:
            try:
                raw = self._data.recv(512)
            except BlockingIOError:
                left = deadline - time.monotonic()
                if left <= 0 or not select.select((self._data,), (), (), left)[0]:
                    return None
                continue
            if len(raw) != PACKET.size:
                continue
            status, mad = struct.unpack_from("=I", raw, 16)[0], raw[32:]
            if status or mad[3] & 0x80:
                return struct.unpack_from(">I", mad, 12)[0], None if status else mad

    def Ask(self, to, attribute, modifier=0, data=b"", method=GET, tries=1, timeout_s=2):
        """`to` is a LID or a directed route (a tuple of ports). Returns (status, 64 octets)."""
        for _ in range(tries):
            mine = self._Post(to, method, attribute, modifier, data)
            deadline = time.monotonic() + timeout_s
            while (answer := self._Receive(deadline)) is not None:
                if answer[0] == mine:
                    break
            if answer is not None and answer[1] is not None:
                mad = answer[1]
                return struct.unpack(">H", mad[4:6])[0] & 0x7FFF, mad[64:128]
        raise Unanswered("%s attribute 0x%x" % (to, attribute))

    def AskAll(self, questions, window=64, timeout_s=2):
        """[(to, attribute, modifier)] -> the 64 octets of each, None where refused or lost."""
        answers, pending, upcoming = [None] * len(questions), {}, 0
        while upcoming < len(questions) or pending:
            while upcoming < len(questions) and len(pending) < window:
                to, attribute, modifier = questions[upcoming]
                pending[self._Post(to, GET, attribute, modifier, b"")] = upcoming
                upcoming += 1
            answer = self._Receive(time.monotonic() + timeout_s)
            if answer is None:
                pending.clear()  # What is lost stays None; the caller decides whether to repeat.
            elif answer[0] in pending:
                index = pending.pop(answer[0])
                if answer[1] is not None and answer[1][4:6] in (b"\0\0", b"\x80\0"):
                    answers[index] = answer[1][64:128]
        return answers
