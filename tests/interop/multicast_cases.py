# SPDX-License-Identifier: Apache-2.0
# EmberSM: cases: the same multicast groups, answers and tables as OpenSM.
"""Both managers hear the same joins and leaves, octet for octet, on the same net."""
import functools
import os
import random
import struct
import time

import ibsim
import sa
from cases import Add, Named
from checks import Expect

MFT = 0x1B
PREFIX = 0xFE80000000000000
BROADCAST = bytes.fromhex("ff12401bffff000000000000ffffffff")
COMPONENTS = ("mgid", "port", "qkey", "mlid", "mtusel", "mtu", "tclass", "pkey", "ratesel", "rate",
              "lifesel", "life", "sl", "flow", "hop", "scope", "join", "proxy")
PROXIES = "sa_allow_proxies TRUE\n"
sa.RECORDS.setdefault("MCMemberRecord", (0x38, 56))


def Mgid(text):
    return bytes.fromhex(text.replace(" ", "").ljust(32, "0"))


def Record(mgid=b"", port=(0, 0), qkey=0, mlid=0, mtusel=0, mtu=0, tclass=0, pkey=0, ratesel=0,
           rate=0, lifesel=0, life=0, sl=0, flow=0, hop=0, scope=0, join=0, proxy=0):
    return (mgid.ljust(16, b"\0") + struct.pack(
        ">QQIHBBHBBIBB", port[0], port[1], qkey, mlid, mtusel << 6 | mtu, tclass, pkey,
        ratesel << 6 | rate, lifesel << 6 | life, sl << 28 | flow << 8 | hop, scope << 4 | join,
        proxy << 7)).ljust(56, b"\0")


def Ask(client, lid, method, key=0, without=(), **fields):
    """(status, records); no answer is status None."""
    mask = sum(1 << COMPONENTS.index(name) for name in fields if name not in without)
    try:
        status, records = client.Query(lid, "MCMemberRecord", mask=mask, data=Record(**fields),
                                       method=method, key=key, timeout_s=3)
    except ibsim.Unanswered:
        return None, []
    return status, sorted(bytes(record[:52]) for record in records)


def Seat(simulator):
    return simulator.hosts[0].name


def LidOf(simulator, manager):
    with ibsim.Client(simulator, manager.node) as client:
        return ibsim.PortField(client.Ask((), ibsim.PORT_INFO)[1], "lid")


def ReadMfts(context, blocks):
    """switch name -> octets of its first blocks at every position."""
    simulator = context.simulator
    witness = context.Witness(Seat(simulator))
    routes = simulator.Routes(witness)
    with ibsim.Client(simulator, witness) as client:
        places = [(node, block, position) for node in simulator.switches
                  for block in range(blocks) for position in range(node.port_count // 16 + 1)]
        answers = client.AskAll([(routes[node.name], MFT, block | position << 28)
                                 for node, block, position in places])
    tables = {}
    for (node, _, _), answer in zip(places, answers):
        Expect(answer is not None, "%s: its MFT cannot be read", node.name)
        tables[node.name] = tables.get(node.name, b"") + answer
    return tables


def Joins(simulator, seed, groups=12):
    """Yields (group number, port GUID, whether it joins): some groups of all, pairs, singles."""
    chance = random.Random(seed)
    guids = [host.PortGuid(1) for host in simulator.hosts]
    for number in range(groups):
        size = (len(guids), 2, 1, 3, len(guids) // 2, 7)[number % 6]
        members = chance.sample(guids, min(size, len(guids)))
        for guid in members:
            yield number, guid, True
        if number % 4 == 3:  # Some go again.
            for guid in members[::2]:
                yield number, guid, False


def JoinAll(context, manager, seed):
    """All joins, as a trusted proxy; returns what a trusted requester is told at the end."""
    simulator = context.simulator
    lid = LidOf(simulator, manager)
    with sa.Client(simulator, context.Witness(Seat(simulator))) as client:
        for number, guid, joins in Joins(simulator, seed):
            fields = dict(mgid=Mgid("ff15a01c%08x" % number), port=(PREFIX, guid), join=1)
            if joins:
                fields.update(qkey=7, tclass=0, pkey=0xFFFF, flow=0, sl=0)
            status, _ = Ask(client, lid, sa.SET if joins else sa.DELETE, key=1, **fields)
            Expect(status == 0, "group %d, port 0x%x, joins %s: status %s", number, guid, joins,
                   status)
        manager.WaitQuiet(1.5)
        if manager.kind != "opensm":
            CheckStatus(manager, simulator, seed)
        return Ask(client, lid, sa.GET_TABLE, key=1)[1]


def CheckStatus(manager, simulator, seed):
    """`emberctl status` counts what was joined."""
    present = {}
    for number, guid, joins in Joins(simulator, seed):
        (set.add if joins else set.discard)(present.setdefault(number, set()), guid)
    present = [members for members in present.values() if members]
    told = manager.Status()["multicast"]
    wanted = {"groups": len(present) + 1, "members": sum(map(len, present)),
              "mlids": len(present) + 1, "lost_members": 0, "settled": True}
    odd = {name: told[name] for name, value in wanted.items() if told[name] != value}
    Expect(not odd, "emberctl tells %s, joined were %s", odd, wanted)


def WithoutProxy(record):
    """OpenSM tells ProxyJoin in a bit that is reserved."""
    return record[:49] + bytes(3)


def Trees(net, configuration, context):
    """After the same joins and leaves the MFT octets of every switch are OpenSM's, and so are the
    members that a trusted requester is told."""
    found = []
    for kind, name in (("opensm", "theirs"), (context.kind, "ours")):
        context.Simulate(net)
        manager = context.Manage(Seat(context.simulator), name, kind=kind,
                                 configuration=configuration)
        manager.WaitUp()
        manager.WaitQuiet()
        members = [WithoutProxy(record) for record in JoinAll(context, manager, len(net))]
        found.append((members, ReadMfts(context, 1), manager.traffic().Count(method=sa.SET,
                                                                             attribute=MFT)))
    theirs, ours = found
    Expect(sorted(theirs[0]) == sorted(ours[0]), "%d members with OpenSM, %d with us, or others",
           len(theirs[0]), len(ours[0]))
    entries = 0
    for name, table in theirs[1].items():
        for at in range(0, len(table), 2):
            Expect(table[at:at + 2] == ours[1][name][at:at + 2],
                   "%s, MFT octet %d: %s with OpenSM, %s with us", name, at,
                   table[at:at + 2].hex(), ours[1][name][at:at + 2].hex())
            entries += table[at:at + 2] != b"\0\0"
    Expect(entries > 0, "nothing was programmed at all")
    context.Note("%d masks are the same; Set(MFT): %d with OpenSM, %d with us", entries, theirs[2],
                 ours[2])


for _net in ("ft2-k8", "ft3-k8-shuffled", "ft3-k8-broken", "torus-4x4x4", "mesh-8x8", "random",
             "dragonfly", "hypercube-6", "parallel"):
    Add("multicast.trees." + _net, functools.partial(Trees, _net, ""),
        short=_net in ("ft3-k8-broken", "random"), kinds=("embersm",))


def Requests(ports):
    """Yields (what is tried, which client asks, method, fields): everything a join may say."""
    at = lambda index: (PREFIX, ports[index])
    yield "table", 1, sa.GET_TABLE, {}
    yield "get broadcast", 1, sa.GET, dict(mgid=BROADCAST)
    for state in (1, 4, 0, 8):
        yield "state %d" % state, 1, sa.SET, dict(mgid=BROADCAST, port=at(1), join=state)
    yield "by port", 1, sa.GET, dict(mgid=BROADCAST, port=at(1))
    yield "by port, trusted", 1, sa.GET, dict(mgid=BROADCAST, port=at(1), key=1)
    for prefix in (0, 0x1234):
        yield "prefix", 2, sa.SET, dict(mgid=BROADCAST, port=(prefix, ports[2]), join=1)
    yield "stranger", 2, sa.SET, dict(mgid=BROADCAST, port=(PREFIX, 0x77), join=1)
    yield "proxy", 2, sa.SET, dict(mgid=BROADCAST, port=at(3), join=1)
    yield "proxy of another", 1, sa.SET, dict(mgid=BROADCAST, port=at(3), join=2)
    yield "another's", 2, sa.SET, dict(mgid=BROADCAST, port=at(1), join=2)
    yield "leave another's", 2, sa.DELETE, dict(mgid=BROADCAST, port=at(1), join=1)
    for state in (2, 1, 4, 4, 15):
        yield "leave %d" % state, 1, sa.DELETE, dict(mgid=BROADCAST, port=at(1), join=state)
    yield "leave nothing", 1, sa.DELETE, dict(mgid=BROADCAST, port=at(1))
    yield "leave no group", 1, sa.DELETE, dict(mgid=Mgid("ff12a01b99"), port=at(1), join=1)
    yield "leave another prefix", 1, sa.DELETE, dict(mgid=BROADCAST, port=(0, ports[1]), join=8)

    join = dict(mgid=BROADCAST, port=at(2), join=1)
    for name, values in (("qkey", (0xB1B, 0xB1C)), ("pkey", (0x7FFF, 0xFFFF, 0, 0x8001)),
                         ("tclass", (1,)), ("sl", (1,)), ("flow", (1,)), ("hop", (1,)),
                         ("scope", (5,)), ("mlid", (0xC005,)), ("proxy", (1,)), ("mtu", (5,)),
                         ("mtusel", (2,)), ("rate", (2,))):
        for value in values:
            yield "join, %s %x" % (name, value), 2, sa.SET, dict(join, **{name: value})
    for selector in range(4):
        for value in (3, 4, 5):
            yield "join, MTU", 2, sa.SET, dict(join, mtusel=selector, mtu=value)
        for value in (2, 3, 5, 6):
            yield "join, rate", 2, sa.SET, dict(join, ratesel=selector, rate=value)
        yield "join, life", 2, sa.SET, dict(join, lifesel=selector, life=3)
    for name in ("mgid", "port", "join"):
        yield "join without " + name, 2, sa.SET, dict(join, without=(name,))
    yield from Creations(at)


def Creations(at):
    create = dict(port=at(2), join=1, qkey=0x1234, tclass=0, pkey=0xFFFF, flow=0, sl=0)
    yield "create, too little", 2, sa.SET, dict(mgid=Mgid("ff12a01c"), port=at(2), join=1)
    for name in ("qkey", "tclass", "pkey", "flow", "sl"):
        yield "create without " + name, 2, sa.SET, dict(create, mgid=Mgid("ff12a01c"),
                                                        without=(name,))
    for state in (0, 2, 4, 8, 7, 15):
        yield "create, state", 2, sa.SET, dict(create, mgid=Mgid("ff12a01d%02x" % state),
                                               join=state)
    for mgid in ("fe12a01c", "ff02a01b00000000000000000000aa", "ff12a01b0000000000000000000000ab",
                 "ff15a01b0000000000000000000000ac", "ff1ea01b", "ff22a01c", "ff32a01c",
                 "ff10a01c01", "ff1fa01c02", "ff00", "ff01ff", "ff12401b8001",
                 "ff12401bffff00000000000000000001", "ff15401bffff00000000000000000001",
                 "ff12601bffff00000000000000000001", "ff02401bffff0000000001", "ff03"):
        yield "create " + mgid, 2, sa.SET, dict(create, mgid=Mgid(mgid))
    ip = dict(create, qkey=0xB1B)
    number = 0
    for head, fields in (
            ("ff12401bffff", {}), ("ff12401bffff", dict(qkey=5)), ("ff12401bffff", dict(sl=1)),
            ("ff12401bffff", dict(tclass=1)), ("ff12401bffff", dict(flow=1)),
            ("ff12401bffff", dict(hop=1)), ("ff12401bffff", dict(pkey=0x7FFF)),
            ("ff12401bffff", dict(mtu=3, mtusel=2)), ("ff12401bffff", dict(rate=2, ratesel=2)),
            ("ff12401bffff", dict(life=3, lifesel=2)), ("ff12401bffff", dict(scope=5)),
            ("ff12601bffff", {}), ("ff12601bffff", dict(qkey=7)), ("ff12401b7fff", {}),
            ("ff32601bffff", {}), ("ff02401bffff", {}), ("ff05401bffff", {})):
        number += 1
        yield "create IP", 2, sa.SET, dict(
            dict(ip, **fields), mgid=Mgid(head.ljust(24, "0") + "0000%04x" % number))
    yield "broadcast of scope 5", 2, sa.SET, dict(
        ip, mgid=Mgid("ff15401bffff000000000000ffffffff"))
    yield "and beside it", 2, sa.SET, dict(ip, mgid=Mgid("ff15401bffff00000000000000000001"))
    yield "another partition", 2, sa.SET, dict(
        ip, mgid=Mgid("ff12401b8001000000000000ffffffff"), pkey=0x8001)
    for fields in ({}, dict(scope=5), dict(scope=14)):
        yield "a MGID, please", 2, sa.SET, dict(create, mgid=b"", **fields)
    yield from Values(create)


def Values(create):
    wishes = [dict(scope=2), dict(scope=5), dict(hop=7), dict(mlid=0xC010), dict(mlid=0xC010),
              dict(mlid=0xC3FF), dict(mlid=0xC400), dict(mlid=5), dict(tclass=9, sl=3, flow=0x12345),
              dict(sl=15), dict(proxy=1), dict(pkey=0x7FFF), dict(pkey=0x8001), dict(pkey=0),
              dict(mtu=5), dict(mtusel=1), dict(rate=2), dict(life=3),
              dict(hop=9, life=7, scope=3, mlid=0xC123, without=("hop", "life", "scope", "mlid"))]
    for selector in range(4):
        wishes += [dict(mtusel=selector, mtu=value) for value in (0, 1, 3, 4, 5, 6, 63)]
        wishes += [dict(ratesel=selector, rate=value) for value in (0, 1, 2, 3, 4, 5, 6, 10, 18, 63)]
        wishes += [dict(lifesel=selector, life=value) for value in (0, 18, 63)]
    for number, wish in enumerate(wishes):
        yield "create with %s" % wish, 2, sa.SET, dict(
            dict(create, **wish), mgid=Mgid("ff1511112222%04x" % number))
    for name, fields in (("mlid", dict(mlid=0xC000)), ("scope", dict(scope=5)),
                         ("P_Key", dict(pkey=0x7FFF, mlid=0xC000)), ("Q_Key", dict(qkey=0x1234)),
                         ("TClass", dict(tclass=9)), ("SL", dict(sl=15)), ("flow", dict(flow=1)),
                         ("MTU", dict(mtusel=0, mtu=3, mlid=0xC000)),
                         ("MTU alone", dict(mtu=3, mlid=0xC000)),
                         ("rate", dict(ratesel=1, rate=3)), ("nothing", dict(mlid=0xC7FF))):
        yield "ask by " + name, 2, sa.GET_TABLE, fields
    yield "ask by port", 2, sa.GET_TABLE, dict(port=create["port"])
    yield "ask for many by Get", 2, sa.GET, dict(scope=2)
    yield "ask for none by Get", 2, sa.GET, dict(mlid=0xC7FF)
    yield "ask with a wrong key", 2, sa.GET_TABLE, dict(mlid=0xC000, key=77)
    yield "join with a wrong key", 2, sa.SET, dict(mgid=BROADCAST, port=create["port"], join=1,
                                                   key=77)


@Named("multicast.answers", kinds=("embersm",))
def Answers(context):
    """Some 250 requests for MCMemberRecords, good and bad, are answered with OpenSM's status and,
    but for ProxyJoin, OpenSM's octets, under sa_allow_proxies: else a port acts for itself only."""
    answers = []
    for kind, name in (("opensm", "theirs"), (context.kind, "ours")):
        simulator = context.Simulate("ft2-k8")
        manager = context.Manage(Seat(simulator), name, kind=kind,
                                 configuration="" if kind == "opensm" else PROXIES)
        manager.WaitUp()
        lid = LidOf(simulator, manager)
        ports = [host.PortGuid(1) for host in simulator.hosts]
        clients = {index: sa.Client(simulator, simulator.hosts[index].name) for index in (1, 2)}
        try:
            answers.append([(what, Ask(clients[who], lid, method, **fields))
                            for what, who, method, fields in Requests(ports)])
        finally:
            for client in clients.values():
                client.Close()
    for number, ((what, theirs), (_, ours)) in enumerate(zip(*answers)):
        Expect(theirs[0] == ours[0], "%d (%s): status %s with OpenSM, %s with us", number, what,
               theirs[0], ours[0])
        mine, others = ([WithoutProxy(record) for record in records]
                        for records in (ours[1], theirs[1]))
        odd = next((pair for pair in zip(others, mine) if pair[0] != pair[1]), None)
        Expect(len(mine) == len(others) and odd is None, "%d (%s): %d records with OpenSM, %d with "
               "us; %s", number, what, len(others), len(mine),
               odd and " / ".join(record.hex() for record in odd))
    context.Note("%d answers are the same", len(answers[0]))


@Named("multicast.dump", kinds=("embersm",))
def Dump(context):
    """opensm.mcfdbs has OpenSM's lines, and ibdmchk takes it."""
    found = []
    for kind, name in (("opensm", "theirs"), (context.kind, "ours")):
        simulator = context.Simulate("ft3-k8-shuffled")
        manager = context.Manage(Seat(simulator), name, kind=kind)
        manager.WaitUp()
        manager.WaitQuiet()
        JoinAll(context, manager, 5)
        if kind == "opensm":
            manager.Sweep()  # It dumps at heavy sweeps.
            manager.WaitQuiet(2)
        with open(os.path.join(manager.Dump(), "opensm.mcfdbs"), encoding="utf-8") as dump:
            found.append(dump.read())
    Expect(found[0] != "", "OpenSM dumped nothing")
    Expect(found[0] == found[1], "opensm.mcfdbs differs: %d characters with OpenSM, %d with us",
           len(found[0]), len(found[1]))
    context.Note("%d lines are the same", found[0].count("\n"))


def PostJoin(client, lid, **fields):
    """Sends a join and does not wait; returns its transaction."""
    mine = next(client._transaction) & 0xFFFFFFFF
    mask = sum(1 << COMPONENTS.index(name) for name in fields)
    client._PostSa(lid, sa.HEADER.pack(1, 3, 2, sa.SET, 0, 0, mine, 0x38, 0, 0, b"", 1, 7, 0, mask)
                   + Record(**fields))
    return mine


def JoinMany(client, lid, joins, window=32):
    """All of `joins`, some under way at a time; what is not answered in 10 s is asked again."""
    todo, pending = list(reversed(joins)), {}
    while todo or pending:
        while todo and len(pending) < window:
            fields = todo.pop()
            pending[PostJoin(client, lid, **fields)] = fields
        answer = client._Receive(time.monotonic() + 10)
        if answer is None:
            todo, pending = list(pending.values()) + todo, {}
        elif answer[0] in pending:
            fields = pending.pop(answer[0])
            status = answer[1] and struct.unpack_from(">H", answer[1], 4)[0]
            if status == 1:  # Busy.
                todo.append(fields)
            else:
                Expect(status == 0, "a join was answered with %s: %s", status, fields)


def CpuSeconds(manager):
    with open("/proc/%d/stat" % manager.process.pid, encoding="utf-8") as stat:
        fields = stat.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def Settle(manager, quiet_s=5):
    """Until no Set(MFT) was sent for a while; returns when the last one was seen."""
    sets, since = -1, time.monotonic()
    while time.monotonic() - since < quiet_s:
        now = manager.traffic().Count(method=sa.SET, attribute=MFT)
        if now != sets:
            sets, since = now, time.monotonic()
        time.sleep(0.02)
    return since


def Many(net, groups, members, context):
    """10,000 members in 100 groups: Sets of MFT blocks at most 1.2 times as many as blocks that are
    not empty at the end, and the time beside OpenSM's; the tables are the same."""
    tables = []
    for kind, name in (("opensm", "theirs"), (context.kind, "ours")):
        simulator = context.Simulate(net)
        manager = context.Manage(Seat(simulator), name, kind=kind)
        manager.WaitUp(120)
        Settle(manager, 2)
        lid, chance, joins = LidOf(simulator, manager), random.Random(11), []
        guids = [host.PortGuid(1) for host in simulator.hosts]
        for number in range(groups):
            for guid in chance.sample(guids, members):
                joins.append(dict(mgid=Mgid("ff15a01c%08x" % number), port=(PREFIX, guid), join=1,
                                  qkey=7, tclass=0, pkey=0xFFFF, flow=0, sl=0))
        before = manager.traffic().Count(method=sa.SET, attribute=MFT)
        cpu_s, began = CpuSeconds(manager), time.monotonic()
        with sa.Client(simulator, context.Witness(Seat(simulator))) as client:
            JoinMany(client, lid, joins)
        joined = time.monotonic()
        settled = Settle(manager)
        cpu_s = CpuSeconds(manager) - cpu_s
        sets = manager.traffic().Count(method=sa.SET, attribute=MFT) - before
        tables.append(ReadMfts(context, groups // 32 + 1))
        least = sum(any(table[at:at + 64]) for table in tables[-1].values()
                    for at in range(0, len(table), 64))
        context.Note("%s: joins answered in %.2f s, programmed %.2f s after the first, %.2f s of "
                     "CPU time; Set(MFT): %d, least %d (%.2f)", kind, joined - began,
                     settled - began, cpu_s, sets, least, sets / least)
        manager.Stop()
    Expect(tables[0] == tables[1], "tables differ")
    Expect(sets <= 1.2 * least, "Set(MFT): %d, least %d", sets, least)


Add("multicast.many", functools.partial(Many, "ft3-k16", 100, 100), short=False, timeout_s=600,
    kinds=("embersm",))
