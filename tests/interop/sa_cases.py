# SPDX-License-Identifier: Apache-2.0
# EmberSM: cases: records of subnet administration, as OpenSM tells them.
"""OpenSM and the SM under test manage the same net one after the other, and are asked the same.

Records are compared as sets of octets: the order of records is nobody's promise. What may differ is
named here, in Comparable(), and in RESULTS.md, and nowhere else.
"""
import random
import re
import struct
import subprocess
import time

import ibsim
import sa
from cases import Add, Named
from checks import Expect

KEY = 1  # sa_key of both, by default.
GET, SET, GET_TABLE, DELETE = sa.GET, sa.SET, sa.GET_TABLE, sa.DELETE
SL_TO_VL, VL_ARBITRATION, P_KEYS = 0x17, 0x18, 0x16
TABLES = sorted(set(sa.RECORDS) - {"ClassPortInfo", "MCMemberRecord"})
UNSUPPORTED = 0x0C
# OpenSM without QoS has not read these, and tells zeros; we ask the device.
UNREAD = {"SLtoVLMappingTableRecord", "VLArbitrationTableRecord"}


def Comparable(name, record):
    """What both must tell alike of a record."""
    record = bytearray(record)
    if name == "SMInfoRecord":
        record[20:24] = bytes(4)  # ActCount counts what was sent.
    if name in UNREAD:
        record[8:] = bytes(len(record) - 8)
    if name == "PortInfoRecord":
        record[32] = 0  # LocalPortNum of a switch: the port by which it was asked.
    if name == "PortInfoRecord" and IsDown(record):
        record[4:] = bytes(32) + bytes([record[36] & 15]) + bytes(35)  # OpenSM keeps no more of it.
    if name == "P_KeyTableRecord":
        record[2:4] = sorted(record[2:4])  # OpenSM tells the block in the byte order of its host.
    return bytes(record)


def IsDown(record):
    """Of a PortInfoRecord: the port's link is down."""
    return record[36] & 15 == ibsim.DOWN


def Seat(simulator):
    return next(host.name for host in simulator.hosts)


class Answers:
    """Both managers' answers to the same questions, on a fresh simulator each."""

    def __init__(self, context, net):
        self.context, self.net = context, net

    def Of(self, kind, ask):
        """What `ask(client, lid of the SM)` returns under that manager."""
        simulator = self.context.Simulate(self.net)
        seat = Seat(simulator)
        manager = self.context.Manage(seat, kind, kind=kind)
        manager.WaitUp()
        manager.WaitQuiet()
        with sa.Client(simulator, self.context.Witness(seat)) as client:
            lid = ibsim.PortField(client.Ask((), ibsim.PORT_INFO)[1], "master_sm_lid")
            return ask(client, lid)

    def OfBoth(self, ask):
        return self.Of("opensm", ask), self.Of(self.context.kind, ask)


def AllTables(client, lid):
    return {name: client.Records(lid, name, key=KEY, timeout_s=30) for name in TABLES}


def Compare(name, theirs, ours, of=""):
    theirs, ours = (sorted(Comparable(name, record) for record in records)
                    for records in (theirs, ours))
    Expect(len(theirs) == len(ours), "%s%s: OpenSM tells %d records, we %d", name, of, len(theirs),
           len(ours))
    for one, other in zip(theirs, ours):
        Expect(one == other, "%s%s: OpenSM tells %s, we %s", name, of, one.hex(), other.hex())


def SameRecords(net, context):
    """Every table of records, whole: the same records as OpenSM's, octet by octet."""
    theirs, ours = Answers(context, net).OfBoth(AllTables)
    for name in TABLES:
        Compare(name, theirs[name], ours[name])
        context.Note("%s %d", name, len(ours[name]))
    simulator = context.simulator
    ports = sum(node.port_count + 1 if node.is_switch else len(node.ports)
                for node in simulator.nodes.values())
    ends = sum(len(node.end_ports()) for node in simulator.nodes.values())
    cables = sum(1 for _ in simulator.Cables())
    for name, count in (("NodeRecord", ends), ("PortInfoRecord", ports), ("LinkRecord", cables),
                        ("SwitchInfoRecord", len(simulator.switches))):
        Expect(len(ours[name]) == count, "%s: %d records, the net has %d", name, len(ours[name]),
               count)


for _net in ("ft2-k8", "two-port", "ring", "ft3-k8"):
    Add("sa.records.%s" % _net, lambda context, net=_net: SameRecords(net, context),
        short=_net != "ft3-k8", timeout_s=400, kinds=("embersm",))


# The components that OpenSM heeds, by number. Those that it ignores we heed.
# By the LID inside PortInfo (5) it narrows the question to the node of the record's LID as well.
HEEDED = {
    "NodeRecord": (0, *range(2, 15)),
    "PortInfoRecord": (*range(0, 5), *range(6, 19), *range(20, 30), *range(31, 43), 45, 47, 48, 49,
                       53, 54, 55, 57),
    "SwitchInfoRecord": (0,), "LinearForwardingTableRecord": (0, 1),
    "MulticastForwardingTableRecord": (0, 1, 3), "SMInfoRecord": (0, 2, 5, 6),
    "LinkRecord": (0, 1, 2, 3), "SLtoVLMappingTableRecord": (0, 1, 2),
    "VLArbitrationTableRecord": (0, 1, 2), "P_KeyTableRecord": (0, 2),
}


def Ignored(name, record):
    """What the managers keep of a port whose link is down is not the same: see Comparable()."""
    return name == "PortInfoRecord" and IsDown(record)


def Draw(tables, seed, count):
    """Questions made of records that exist, some with an octet spoilt: (name, mask, record)."""
    chance = random.Random(seed)
    questions = []
    for name, numbers in sorted(HEEDED.items()):
        records = [record for record in tables[name] if not Ignored(name, record)]
        for _ in range(count if records else 0):
            record = bytearray(chance.choice(records))
            if chance.random() < 0.3:
                record[chance.randrange(len(record))] ^= 1 << chance.randrange(8)
            some = chance.sample(numbers, chance.randint(1, min(3, len(numbers))))
            mask = sum(1 << number for number in some)
            if name == "SMInfoRecord":
                record[20:24] = bytes(4)
            questions.append((name, mask, bytes(record)))
    return questions


@Named("sa.components", kinds=("embersm",))
def SameByComponents(context):
    """Random questions by components: the same records as OpenSM's, with the key and without."""
    answers = Answers(context, "two-port")
    tables = answers.Of("opensm", AllTables)
    questions = Draw(tables, 7, 60)

    def Ask(client, lid):
        told = []
        for name, mask, record in questions:
            key = KEY if name == "P_KeyTableRecord" or mask & 1 else 0
            told.append([one for one in client.Records(lid, name, mask=mask, data=record, key=key)
                         if not Ignored(name, one)])
        return told

    theirs, ours = answers.OfBoth(Ask)
    found = 0
    for (name, mask, record), one, other in zip(questions, theirs, ours):
        Compare(name, one, other, " by 0x%x of %s" % (mask, record.hex()))
        found += bool(one) and len(one) < len(tables[name])
    Expect(found > len(questions) // 4, "only %d of %d questions told some", found, len(questions))
    context.Note("%d questions, %d of them told a part", len(questions), found)


@Named("sa.statuses", kinds=("embersm",))
def SameStatuses(context):
    """Get of none, one and many; methods, attributes and keys that are not: as OpenSM answers."""
    sa.RECORDS.setdefault("RandomForwardingTableRecord", (0x16, 72))
    sa.RECORDS.setdefault("TraceRecord", (0x39, 72))
    plain = [name for name in TABLES if name != "GUIDInfoRecord"]
    questions = [(name, method, mask, where, KEY) for name in TABLES for method in (GET, GET_TABLE)
                 for mask, where in ((0, None), (1, "manager"), (1, "nobody"))]
    questions += [(name, 0x14, 0, None, 0) for name in plain]
    questions += [(name, GET, 0, None, 0) for name in ("P_KeyTableRecord", "NodeRecord")]
    # A method that a known attribute has not: OpenSM says nothing, we say so.
    denied = [(name, method, 0, None, KEY) for name in plain[:3] for method in (SET, DELETE)]
    unknown = ("RandomForwardingTableRecord", "TraceRecord")
    silent = denied + [(name, method, 0, None, KEY) for name in unknown
                       for method in (GET, SET, GET_TABLE, DELETE, 0x14)]
    silent += [(name, GET_TABLE, 0, None, KEY + 4) for name in plain[:3]]

    def Ask(client, lid):
        told = {}
        for question in questions + silent:
            name, method, mask, where, key = question
            data = struct.pack(">H", {"manager": lid, "nobody": 0xBF00}.get(where, 0))
            try:
                status, records = client.Query(lid, name, mask, data, method, key=key,
                                               timeout_s=1 if question in silent else 10)
            except ibsim.Unanswered:
                status, records = None, []
            told[question] = status, len(records)
        return told

    theirs, ours = Answers(context, "two-port").OfBoth(Ask)
    for question, one in theirs.items():
        Expect((one[0] is None) == (question in silent), "%s: OpenSM answers %s", question, one)
        if question in denied:
            one = UNSUPPORTED, 0
        Expect(one == ours[question], "%s: OpenSM answers %s, we %s", question, one, ours[question])
    context.Note("%d questions, %d of them answered by silence", len(theirs),
                 sum(one[0] is None for one in theirs.values()))


@Named("sa.aliases", kinds=("embersm",))
def SameAliases(context):
    """GUIDInfoRecord Set and Delete: the same statuses and blocks as OpenSM's."""
    def Question(lid, block, guids):
        return struct.pack(">HBBI", lid, block, 0, 0) + b"".join(
            struct.pack(">Q", guid) for guid in guids)

    def Ask(client, lid):
        hosts = sorted(struct.unpack_from(">H", record)[0]
                       for record in client.Records(lid, "NodeRecord") if record[6] == 1)
        switch = next(struct.unpack_from(">H", record)[0]
                      for record in client.Records(lid, "NodeRecord") if record[6] == 2)
        one, other = hosts[-1], hosts[-2]
        own = struct.unpack_from(">Q", client.Records(
            lid, "GUIDInfoRecord", mask=1, data=Question(one, 0, []))[0], 8)[0]
        script = [
            (SET, one, 0, 0b11 | 1 << 5, [0, 0x1111]), (SET, one, 0, 0b11 | 1 << 6, [0, 0, 0]),
            (SET, one, 1, 0b11 | 1 << 4 | 1 << 5, [0, 0]),
            (SET, one, 1, 0b11 | 1 << 6, [0, 0, 0x1111]), (SET, one, 0, 0b11 | 1 << 4, [0x77]),
            (SET, one, 0, 0b01 | 1 << 7, [0, 0, 0, 5]), (SET, one, 0, 0b10 | 1 << 7, [0, 0, 0, 5]),
            (SET, one, 0, 0b11, [0, 0, 0, 5]), (SET, one, 9, 0b11 | 1 << 5, [0, 9]),
            (SET, switch, 0, 0b11 | 1 << 5, [0, 9]), (SET, other, 0, 0b11 | 1 << 5, [0, 0x1111]),
            (SET, other, 0, 0b11 | 1 << 5, [0, 0x2222]),
            (SET, 0x700, 0, 0b11 | 1 << 5, [0, 0x2222]),
            (SET, one, 0, 0b11 | 1 << 5, [0, 0x3333]), (SET, one, 0, 0b11 | 1 << 5, [0, 0]),
            (SET, one, 0, 0b11 | 1 << 5 | 1 << 6, [0, 0x3333, 0x3333]),
            (SET, one, 0, 0b11 | 1 << 7, [0, 0, 0, own]), (GET_TABLE, one, 0, 0b1, []),
            (DELETE, one, 0, 0b11 | 1 << 5, [0, 0x9999]), (DELETE, one, 0, 0b11 | 1 << 4, []),
            (DELETE, one, 0, 0b11 | 1 << 5, []), (DELETE, one, 0, 0b11, []),
            (DELETE, one, 0, 0b01 | 1 << 6, []), (DELETE, 0x700, 0, 0b11 | 1 << 6, []),
            (GET_TABLE, one, 0, 0b1, []), (GET_TABLE, other, 0, 0b1, []),
        ]
        told = []
        for method, to, block, mask, guids in script:
            answer = client.Query(lid, "GUIDInfoRecord", mask, Question(to, block, guids), method,
                                  key=KEY)
            told.append(((method, to, block, mask, guids), answer[0], sorted(answer[1])))
        return told

    theirs, ours = Answers(context, "two-port").OfBoth(Ask)
    for (question, status, records), (_, our_status, our_records) in zip(theirs, ours):
        Expect(status == our_status, "%s: OpenSM answers 0x%04x, we 0x%04x", question, status,
               our_status)
        Expect(records == our_records, "%s: OpenSM tells %s, we %s", question,
               [one.hex() for one in records], [one.hex() for one in our_records])
    context.Note("%d questions", len(ours))


@Named("sa.devices", kinds=("embersm",))
def TablesOfDevices(context):
    """SL to VL, VL arbitration and P_Keys as the devices have them, read with raw SMPs."""
    simulator = context.Simulate("two-port")
    seat = Seat(simulator)
    context.Manage(seat).WaitUp()
    witness = context.Witness(seat)
    routes = simulator.Routes(witness)
    chance = random.Random(8)
    with sa.Client(simulator, witness) as client:
        lid = ibsim.PortField(client.Ask((), ibsim.PORT_INFO)[1], "master_sm_lid")
        lids = {struct.unpack_from(">Q", record, 24)[0]: struct.unpack_from(">H", record)[0]
                for record in client.Records(lid, "NodeRecord")}
        questions = []
        for node in simulator.switches:
            own = lids[node.PortGuid(0)]
            for port in range(1, node.port_count + 1):
                peer = chance.randint(1, node.port_count)
                lanes = bytes(chance.randrange(256) for _ in range(8))
                client.Ask(routes[node.name], SL_TO_VL, peer << 8 | port, lanes.ljust(64, b"\0"),
                           method=SET)
                questions.append(("SLtoVLMappingTableRecord", 7,
                                  struct.pack(">HBB", own, peer, port),
                                  routes[node.name], SL_TO_VL, peer << 8 | port, 8))
                for block in (1, 3):
                    questions.append(("VLArbitrationTableRecord", 7,
                                      struct.pack(">HBB", own, port, block), routes[node.name],
                                      VL_ARBITRATION, block << 16 | port, 64))
        for host in simulator.hosts:
            for port in host.end_ports():
                if host.PortGuid(port) in lids and host.name in routes:
                    questions.append(("P_KeyTableRecord", 3,
                                      struct.pack(">HH", lids[host.PortGuid(port)], 0),
                                      None, P_KEYS, 0, 64))
        compared = different = 0
        for name, mask, data, route, attribute, modifier, octets in questions:
            told = client.Records(lid, name, mask=mask, data=data, key=KEY)
            Expect(len(told) == 1, "%s of %s: %d records", name, data.hex(), len(told))
            if route is None:  # Every host here is a member of the default partition, and no other.
                truth = (b"\xff\xff").ljust(octets, b"\0")
            else:
                truth = client.Ask(route, attribute, modifier)[1][:octets]
            Expect(told[0][8:8 + octets] == truth, "%s of %s: the device has %s, we tell %s", name,
                   data.hex(), truth.hex(), told[0][8:].hex())
            compared += 1
            different += any(truth)
    Expect(different > compared // 4, "the tables of the devices are empty")
    context.Note("%d tables, %d of them not empty", compared, different)


@Named("sa.devices.speed", kinds=("embersm",))
def TablesOfDevicesInTime(context):
    """saquery, which waits for a second, is told every SL to VL, VL arbitration and P_Key table of 208
    nodes, each time it asks: some 6,600, 3,400 and 1,600 of them."""
    simulator = context.Simulate("ft3-k8-shuffled")
    context.Manage(Seat(simulator)).WaitUp()
    witness, told = context.Witness(Seat(simulator)), []
    for question in ("SL2VL", "VLAR", "PKTR"):
        counts, seconds = set(), []
        for _ in range(5):
            began = time.monotonic()
            done = subprocess.run(["saquery", "--smkey", str(KEY), question],
                                  env=simulator.Environment(witness, context.tools.preload),
                                  capture_output=True, text=True, timeout=60, check=False,
                                  cwd=context.tools.work)
            seconds.append(time.monotonic() - began)
            Expect(done.returncode == 0, "saquery %s: exit status %d after %.2f s: %s", question,
                   done.returncode, seconds[-1], done.stderr.strip()[-200:])
            counts.add(done.stdout.count("dump:"))
        Expect(len(counts) == 1 and min(counts) > 1000, "saquery %s: %s tables", question,
               sorted(counts))
        told.append("%s: %d in %.2f to %.2f s" % (question, counts.pop(), min(seconds), max(seconds)))
    context.Note("%s", "; ".join(told))


SAQUERIES = ("NR", "NR {lid}", "PIR", "PIR {switch}", "PIR {switch}/1", "SWIR", "SWIR {switch}",
             "LR", "LR {switch}/1", "LFTR", "LFTR {switch}/0", "SMIR", "GIR", "GIR {lid}/0",
             "PKTR {lid}", "SL2VL {switch}/1/2", "VLAR {switch}/1", "MFTR", "-s", "-D")


def Text(tools, simulator, node, arguments):
    done = subprocess.run(["saquery", "--smkey", str(KEY), *arguments.split()],
                          env=simulator.Environment(node, tools.preload), capture_output=True,
                          text=True, timeout=60, check=False, cwd=tools.work)
    Expect(done.returncode == 0, "saquery %s: exit status %d: %s", arguments, done.returncode,
           done.stderr.strip()[-200:])
    # See Comparable(): counters, how a switch was asked, ports whose link is down.
    return sorted(re.sub(r"(ActCount|LocalPort).*", "", dump)
                  for dump in re.split(r"^(?=\S.* dump:)|\n\n", done.stdout, flags=re.M)
                  if not re.search(r"LinkState:\.*Down", dump))


@Named("sa.saquery", kinds=("embersm",))
def SameForSaquery(context):
    """saquery prints of us what it prints of OpenSM, for every record of tables that it knows."""
    answers = Answers(context, "two-port")

    def Places(client, lid):
        records = client.Records(lid, "NodeRecord")
        return {"lid": struct.unpack_from(">H", records[0])[0],
                "switch": next(struct.unpack_from(">H", record)[0] for record in records
                               if record[6] == 2)}

    told = {}
    for kind in ("opensm", context.kind):
        places = answers.Of(kind, Places)
        if kind != "opensm":
            Expect(places["switch"] == told["places"]["switch"], "other LIDs than OpenSM's")
            places = told["places"]
        told.setdefault("places", places)
        for question in SAQUERIES:
            node = context.Witness(Seat(context.simulator))
            told[kind, question] = Text(context.tools, context.simulator, node,
                                        question.format(**places))
    for question in SAQUERIES:
        theirs, ours = told["opensm", question], told[context.kind, question]
        if question.startswith("PKTR"):  # saquery reads the block as OpenSM writes it.
            theirs, ours = (sorted(re.sub(r"Block.*", "", dump) for dump in told)
                            for told in (theirs, ours))
        if question.startswith(("SL2VL", "VLAR")):  # See UNREAD.
            theirs, ours = ([re.sub(r"(?m)^.*(VL|Weight) *:.*$", "", dump) for dump in told]
                            for told in (theirs, ours))
        Expect(len(theirs) == len(ours), "saquery %s: %d dumps of OpenSM's, %d of ours", question,
               len(theirs), len(ours))
        for one, other in zip(theirs, ours):
            Expect(one == other, "saquery %s: of OpenSM it prints\n%s\nof us\n%s", question, one,
                   other)
    context.Note("%d queries", len(SAQUERIES))
