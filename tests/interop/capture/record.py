#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# EmberSM: records what OpenSM and infiniband-diags exchange with ibsim, octets and printed text.
"""Usage: record.py [--golden DIR] [--corpus DIR] [--work DIR]

Starts ibsim on a small net, OpenSM on one host and a second one with a higher priority later, runs
the diagnostic tools with capture.so in between, and writes tests/golden/wire/*.hex: the datagrams,
and beside them what the tool said they mean. So the tests of core/wire compare our offsets with
somebody else's reading of somebody else's octets. --corpus writes one file for each kind of
datagram seen, as the fuzz targets take it. Every run gives the same files but for counters,
transaction ids and the order of asynchronous events; they are checked in, and need to be recorded
again only when a tool that matters changes.
"""
import argparse
import hashlib
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
sys.path.insert(0, os.path.dirname(HERE))
import ibsim  # noqa: E402
import managers  # noqa: E402

NET = """Switch 8 "S-one"
[1] "H-a"[1]
[2] "H-b"[1]
[7] "S-two"[7]
[8] "S-two"[8]

Switch 8 "S-two"
[1] "H-c"[1]
[7] "S-one"[7]
[8] "S-one"[8]

Hca 1 "H-a"
[1] "S-one"[1]

Hca 1 "H-b"
[1] "S-one"[2]

Hca 2 "H-c"
[1] "S-two"[1]
"""

# Values that are nobody's default, so that a field read from the wrong place shows.
OPTIONS = """subnet_prefix 0xfe80000000a1b2c3
sm_key 0x00000000deadbeef
lmc 2
lmc_esp0 TRUE
vl_stall_count 0x05
leaf_vl_stall_count 0x03
head_of_queue_lifetime 0x0e
leaf_head_of_queue_lifetime 0x0b
packet_life_time 0x11
subnet_timeout 17
local_phy_errors_threshold 0x07
overrun_errors_threshold 0x03
partition_config_file partitions.conf
qos TRUE
qos_max_vls 4
qos_high_limit 9
qos_vlarb_high 0:64,1:17,2:1
qos_vlarb_low 0:0,1:33,2:66,3:255
qos_sl2vl 3,2,1,0,0,1,2,3,3,3,2,2,1,1,0,15
sweep_interval 2
sminfo_polling_timeout 1000
"""
PARTITIONS = """Default=0x7fff, ipoib: ALL=full;
Storage=0x1234: ALL=full;
Guests=0x0042: ALL=limited;
"""

SET, MFT, NOTICE, SMINFO = 2, 0x1B, 0x02, 0x20


class Datagram:
    def __init__(self, line):
        self.way, self.program, lid, _, _, octets = line.split()
        self.lid, self.octets = int(lid), bytes.fromhex(octets)
        self.mgmt_class, self.method = self.octets[1], self.octets[3]
        self.attribute = int.from_bytes(self.octets[16:18], "big")
        self.modifier = int.from_bytes(self.octets[20:24], "big")

    def Text(self):
        rows = [self.octets[i:i + 32].hex() for i in range(0, 256, 32)]
        return self.way + "\n" + "".join("  %s\n" % row for row in rows)


class Recorder:
    def __init__(self, work, golden):
        self.work, self.golden = work, golden
        self.file = os.path.join(work, "capture.txt")
        self.shim = os.path.join(work, "capture.so")
        subprocess.run(["cc", "-O1", "-Wall", "-Wextra", "-shared", "-fPIC", "-o", self.shim,
                        os.path.join(HERE, "capture.c"), "-ldl", "-libumad"], check=True)
        for name, text in (("small.net", NET), ("opensm.conf", OPTIONS),
                           ("partitions.conf", PARTITIONS)):
            with open(os.path.join(work, name), "w", encoding="utf-8") as file:
                file.write(text)
        machine = subprocess.run(["cc", "-dumpmachine"], capture_output=True, text=True,
                                 check=True).stdout.strip()
        self.stock = managers.STOCK_PRELOAD % machine
        self.simulator = ibsim.Simulator(os.path.join(work, "small.net"), work)

    def Environment(self, node):
        return self.simulator.Environment(
            node, self.shim + " " + self.stock, EMBER_CAPTURE=self.file, OSM_CACHE_DIR=self.work,
            OSM_TMP_DIR=self.work)

    def Seen(self):
        if not os.path.exists(self.file):
            return []
        with open(self.file, encoding="ascii") as file:
            return [Datagram(line) for line in file]

    def StartManager(self, node, priority):
        log = os.path.join(self.work, "osm-%s.log" % node)
        return subprocess.Popen(["opensm", "-e", "-f", log, "-D", "0x07", "-p", str(priority), "-F",
                                 "opensm.conf"], cwd=self.work, env=self.Environment(node),
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def Run(self, node, *command):
        """What the tool printed, and what it exchanged."""
        before = len(self.Seen())
        done = subprocess.run(command, cwd=self.work, env=self.Environment(node),
                              capture_output=True, text=True, timeout=60, check=True)
        return done.stdout, [one for one in self.Seen()[before:] if one.program == command[0]]

    def Write(self, name, title, datagrams, says):
        with open(os.path.join(self.golden, name + ".hex"), "w", encoding="utf-8") as file:
            file.write("# %s\n" % title)
            for datagram in datagrams:
                file.write(datagram.Text())
            for line in says:
                file.write("says %s\n" % line)

    def Query(self, name, attribute, command, node="H-b", modifier=None):
        """A tool that prints `Label:....value` lines."""
        text, seen = self.Run(node, *command.split())
        found = [one for one in seen if one.attribute == attribute
                 and (modifier is None or one.modifier == modifier)]
        says = []
        for line in text.splitlines():
            label = re.match(r"([\w ]+):\.*(.*)$", line)
            if label:
                says.append("%s = %s" % (label[1], label[2]))
            elif line.startswith("\t"):
                says.append("bit = %s" % line.strip())
        self.Write(name, command, found[-2:], says)

    def Table(self, name, attribute, command, rows, node="H-b", modifier=None):
        """A tool that prints a table: `rows` turns its text into what it says."""
        text, seen = self.Run(node, *command.split())
        found = [one for one in seen if one.attribute == attribute
                 and (modifier is None or one.modifier == modifier)]
        self.Write(name, command, found[:2], rows(text))


def PKeyRows(text):
    rows = [re.findall(r"0x\w{4}", line) for line in text.splitlines()
            if re.match(r"\s*\d+: 0x", line)]
    keys = [key for row in rows for key in row][:32]
    return ["%d = %s" % item for item in enumerate(keys)]


def SlToVlRows(text):
    line = next(line for line in text.splitlines() if re.match(r"ports: in\s+2, out\s+1:", line))
    lanes = [lane.strip() for lane in line.split(":")[2].split("|")[1:17]]
    return ["%d = %s" % item for item in enumerate(lanes)]


def ArbitrationRows(text):
    low = text.split("# Low priority")[1].split("# High priority")[0]
    lanes, weights = (re.findall(r"0x\w+", line) for line in low.splitlines()[1:3])
    return ["%d = %s %s" % (index, *pair) for index, pair in enumerate(zip(lanes, weights))]


def RouteRows(text):
    return ["%s = %s" % pair for pair in re.findall(r"^(0x\w{4}) (\d{3})", text, re.M)]


def GroupRows(text):
    """`0xc000   x  x` under a heading of port numbers: which columns hold a mark."""
    says, columns = [], []
    for line in text.splitlines():
        if line.strip().startswith("Ports:"):
            columns = [(match.start(), match[0]) for match in re.finditer(r"\d+", line)]
        group = re.match(r"(0xc\w{3}) ", line)
        if group:
            ports = [port for start, port in columns if line[start:start + 1] == "x"]
            says.append("%s = %s" % (group[1], " ".join(ports)))
    return says


def GuidRows(text):
    guids = re.findall(r"0x\w{16}", text)[:8]
    return ["%d = %s" % item for item in enumerate(guids)]


def Tools(recorder):
    query = recorder.Query
    query("node_info_ca", 0x11, "smpquery nodeinfo -D 0")
    query("node_info_switch", 0x11, "smpquery nodeinfo -D 0,1,7")
    query("node_description", 0x10, "smpquery nodedesc -D 0,1")
    query("switch_info", 0x12, "smpquery switchinfo -D 0,1")
    query("port_info_switch", 0x15, "smpquery -K portinfo -D 0,1 7")
    query("port_info_switch_host", 0x15, "smpquery -K portinfo -D 0,1 2")
    query("port_info_switch_port0", 0x15, "smpquery -K portinfo -D 0,1 0")
    query("port_info_switch_down", 0x15, "smpquery -K portinfo -D 0,1 3")
    query("port_info_ca", 0x15, "smpquery -K portinfo -D 0,1,7,1 1")
    query("port_info_lid", 0x15, "smpquery -K portinfo -L 4 1")
    table = recorder.Table
    table("p_key_table", 0x16, "smpquery pkeys -D 0", PKeyRows, modifier=0)
    table("sl_to_vl_mapping_table", 0x17, "smpquery sl2vl -D 0,1 1", SlToVlRows,
          modifier=0x201)
    table("vl_arbitration_table", 0x18, "smpquery vlarb -D 0,1 7", ArbitrationRows,
          modifier=0x10007)
    table("guid_info", 0x14, "smpquery guidinfo -D 0", GuidRows, modifier=0)
    table("linear_forwarding_table", 0x19, "ibroute -n -D 0,1", RouteRows, modifier=0)

    with ibsim.Client(recorder.simulator, "H-b") as client:  # Nobody has joined a group here.
        masks = bytearray(64)
        masks[0:2], masks[4:6], masks[62:64] = b"\x00\x86", b"\x01\x01", b"\x00\xFE"
        status, _ = client.Ask((1,), MFT, 0, bytes(masks), method=SET)
        assert status == 0
    table("multicast_forwarding_table", MFT, "ibroute -M -D 0,1 0xc000 0xc01f", GroupRows,
          modifier=0)

    text, seen = recorder.Run("H-b", "sminfo")
    found = re.search(r"sm guid (0x\w+), activity count (\d+) priority (\d+) state (\d+) (\w+)",
                      text)
    recorder.Write("sm_info", "sminfo", [one for one in seen if one.attribute == SMINFO][:2],
                   ["guid = %s" % found[1], "activity count = %s" % found[2],
                    "priority = %s" % found[3], "state = %s" % found[4]])
    for command in ("ibnetdiscover", "ibroute -M -D 0,1", "dump_fts", "smpquery -K portinfo -D 0 1"):
        recorder.Run("H-b", *command.split())


def Notices(recorder):
    """Traps, with the words of OpenSM's log."""
    with open(os.path.join(recorder.work, "osm-H-a.log"), encoding="utf-8") as file:
        log = re.findall(r"Generic Notice type:(\d+) num:(\d+) .*?Producer:(\d+) .*?from LID:(\d+)",
                         file.read())
    seen = recorder.Seen()
    for trap, name in ((128, "notice_link_state"), (144, "notice_local_changes")):
        line = next(one for one in log if int(one[1]) == trap)
        first = next(index for index, one in enumerate(seen) if one.way == "recv"
                     and one.attribute == NOTICE and one.octets[68:70] == trap.to_bytes(2, "big")
                     and one.octets[70:72] == int(line[3]).to_bytes(2, "big"))
        answer = next(one for one in seen[first:] if one.way == "send" and one.method == 7)
        recorder.Write(name, "opensm: Received Generic Notice", [seen[first], answer],
                       ["type = %s" % line[0], "num = %s" % line[1], "producer = %s" % line[2],
                        "issuer lid = %s" % line[3]])


def Handover(recorder):
    """The second manager outranks the first, which hands over: Set(SMInfo) and its answer."""
    seen = [one for one in recorder.Seen() if one.attribute == SMINFO and one.mgmt_class == 0x81]
    request = next(one for one in seen if one.method == SET and one.way == "recv")
    answer = next(one for one in seen if one.way == "recv" and one.method == 0x81
                  and one.octets[8:16] == request.octets[8:16])
    recorder.Write("sm_info_handover", "opensm -p 5 hands over to opensm -p 9",
                   [request, answer], ["control = %d" % request.modifier, "priority = 5"])


def WriteCorpus(datagrams, folder):
    """One file for each kind of datagram a subnet manager receives, as the socket would give it."""
    os.makedirs(folder, exist_ok=True)
    kinds = {}
    for one in datagrams:
        if one.way == "recv":
            kind = (one.mgmt_class, one.method, one.attribute, one.modifier & 0xFFFF0000,
                    one.octets[4:6], one.octets[7])
            kinds.setdefault(kind, one.octets)
    for octets in kinds.values():
        name = hashlib.sha1(octets).hexdigest()[:16]
        with open(os.path.join(folder, name), "wb") as file:
            file.write(octets)
    return len(kinds)


def Main():
    parser = argparse.ArgumentParser(description="Records octets and what they are said to mean.")
    parser.add_argument("--golden", default=os.path.join(ROOT, "tests", "golden", "wire"))
    parser.add_argument("--corpus", default="")
    parser.add_argument("--work", default="")
    arguments = parser.parse_args()
    work = arguments.work or tempfile.mkdtemp(prefix="ember-capture-")
    os.makedirs(work, exist_ok=True)
    os.makedirs(arguments.golden, exist_ok=True)
    if os.path.exists(os.path.join(work, "capture.txt")):
        os.remove(os.path.join(work, "capture.txt"))

    recorder = Recorder(work, arguments.golden)
    managers_running = []
    try:
        managers_running.append(recorder.StartManager("H-a", 5))
        time.sleep(8)
        Tools(recorder)
        recorder.simulator.Unlink("S-one", 8)
        time.sleep(4)
        managers_running.append(recorder.StartManager("H-c", 9))
        time.sleep(15)
        Notices(recorder)
        Handover(recorder)
    finally:
        for manager in managers_running:
            manager.send_signal(signal.SIGTERM)
            manager.wait()
        recorder.simulator.Close()
    print("%d datagrams recorded in %s" % (len(recorder.Seen()), work))
    if arguments.corpus:
        print("%d kinds written" % WriteCorpus(recorder.Seen(), arguments.corpus))


if __name__ == "__main__":
    Main()
