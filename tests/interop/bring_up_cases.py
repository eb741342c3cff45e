# SPDX-License-Identifier: Apache-2.0
# EmberSM: cases: subnets come up, and EmberSM does what OpenSM does.
import functools
import os

import checks
from cases import Add, Named
from checks import Expect
from formula import LeastPlan

# --- Bring-up ------------------------------------------------------------------------------------
# Net, where the SM sits (None: at the first host; "switch": at the first switch, a name: there),
# whether min-hop may have a credit loop on it, and whether it is part of the short run.
BRING_UPS = [
    ("ft2-k8", None, False, True), ("ft2-k8", "switch", False, True),
    ("ft3-k8", None, False, True), ("ft3-k8-shuffled", "switch", False, True),
    ("torus-4x4x4", None, True, True), ("torus-4x4x4", "switch", True, False),
    ("mesh-8x8", None, True, True), ("hypercube-6", None, True, True),
    ("dragonfly", None, True, True), ("random", None, True, True),
    ("random", "switch", True, True), ("ring", None, True, True),
    ("parallel", None, False, True), ("parallel", "switch", False, True),
    ("single-switch", None, False, True), ("single-switch", "switch", False, True),
    ("two-port", None, False, True), ("two-port", "H-single", False, False),
    ("ft3-k16", None, False, False), ("ft3-k36", None, False, False),
]


def Seat(context, seat):
    if seat is None:
        return context.simulator.hosts[0].name
    return context.simulator.switches[0].name if seat == "switch" else seat


def BringUp(net, seat, credit_loops, context, configuration=""):
    """The SM reaches SUBNET UP, and everyone who looks finds a healthy subnet."""
    context.Simulate(net)
    node = Seat(context, seat)
    big = len(context.simulator.nodes) > 1000
    manager = context.Manage(node, configuration=configuration)
    node = manager.node
    seconds = manager.WaitUp(600)
    subnet = context.Read(node)
    walked = subnet.Check()
    eye = context.Witness(node)
    checks.CheckIbnetdiscover(context, subnet, eye)
    checks.CheckIblinkinfo(context, subnet, eye)
    checks.CheckSminfo(context, subnet, eye, node)
    compared = checks.CheckDumpFts(context, subnet, eye)
    checks.CheckIbtracert(context, subnet, eye, 3 if big else 8)
    context.Note("up in %.1f s, %d switches, %d cables, %d routes walked, %d entries in dump_fts",
                 seconds, len(subnet.switches), subnet.CableCount(), walked, compared)
    if len(context.simulator.nodes) < 4000:
        paths, loop = checks.CheckIbdmchk(context, manager.Dump(), subnet, credit_loops)
        context.Note("ibdmchk: %d paths, %s", paths, "a credit loop" if loop else "no credit loop")
        if context.kind == "embersm":
            said = manager.Status()["routing"]["end_ports_may_deadlock"]
            Expect(said == loop, "our verifier and ibdmchk disagree about a credit loop: %s", said)
    Expect(manager.IsRunning(), "the subnet manager ended by itself")


for _net, _seat, _loops, _short in BRING_UPS:
    Add("bring-up." + _net + ("" if _seat is None else "." + _seat.lower()),
        functools.partial(BringUp, _net, _seat, _loops), _short,
        1800 if _net == "ft3-k36" else 150)


# The same under EmberSM's own order, which is the default.
for _net, _loops in (("ft3-k8", False), ("ft3-k8-broken", False), ("torus-4x4x4", True),
                     ("random", True)):
    # ibdmchk knows of one lane.
    Add("bring-up.%s.balanced" % _net,
        functools.partial(BringUp, _net, None, _loops,
                          configuration="order balanced\nrouting_lanes FALSE\n"),
        kinds=("embersm",))


@Named("bring-up.stock-preload")
def StockPreload(context):
    """The same through ibsim's own libumad2sim, which has no time-outs and an odd poll()."""
    context.Simulate("ft2-k8")
    node = context.simulator.hosts[0].name
    # umad2sim copies 320 octets out of a buffer of 288.
    manager = context.Manage(node, stock=True, asan="replace_intrin=0")
    node = manager.node
    seconds = manager.WaitUp(60)
    subnet = context.Read(node)
    context.Note("up in %.1f s, %d routes walked", seconds, subnet.Check())
    checks.CheckSminfo(context, subnet, context.Witness(node), node)


def BringUpWithoutLoss(context):
    """A bring-up in which nothing was asked twice, as it is when a crowded machine drops answers."""
    for attempt in range(5):
        simulator = context.Simulate("ft3-k8")
        # What the scrub asks is no part of a bring-up.
        manager = context.Manage(simulator.hosts[0].name, name="sm%d" % attempt,
                                 configuration="scrub_interval 0\n")
        manager.WaitUp()
        manager.WaitQuiet()
        status = manager.Status()
        if status["smps"]["resent"] == 0:
            return simulator, manager, status
    raise checks.Wrong("each of 5 bring-ups lost answers and asked again")


@Named("bring-up.counters", kinds=("embersm",))
def Counters(context):
    """What emberctl counts is what went over the wire, and it is the least that a bring-up takes."""
    simulator, manager, status = BringUpWithoutLoss(context)
    wire = manager.traffic().Named()
    told = {}
    short = {"LinearForwardingTable": "LFT", "SLtoVLMappingTable": "SLtoVL"}
    for name, counts in status["smps"]["by_attribute"].items():
        for verb, count in (("Get", counts["gets"]), ("Set", counts["sets"])):
            if count:
                told["%s(%s)" % (verb, short.get(name, name))] = count
    Expect(told == wire, "emberctl counts %s, on the wire were %s", told, wire)
    least, _ = LeastPlan(simulator)
    # Ports that claim extended speeds are asked for them; the hosts of ibsim claim them.
    least["Get(PortInfo)"] += len(simulator.hosts)
    Expect(wire == least, "sent were %s, the least is %s", wire, least)
    context.Note("%d SMPs, each accounted for", sum(wire.values()))


# --- Differential --------------------------------------------------------------------------------
def ReadAfter(context, net, seat, kind, switches_apart=False, **options):
    context.Simulate(net)
    node = Seat(context, seat)
    manager = context.Manage(node, name=kind, kind=kind, **options)
    manager.WaitUp(900)
    manager.WaitQuiet()
    subnet = context.Read(node)
    subnet.Check(switches_apart)
    dumps = {}
    if not options and len(context.simulator.nodes) < 4000:
        folder = manager.Dump()
        for name in ("opensm-subnet.lst", "opensm.fdbs"):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                dumps[name] = sorted(line.rstrip() for line in file)
    manager.Stop()
    return subnet, dumps


def Compare(theirs, ours):
    """Same LID for every port, same octets in every table. Returns the number of entries.

    Where OpenSM drops what is for the subnet manager, EmberSM completes the way.
    """
    base, lmc = next(value for value in theirs.lids.values() if value[0] == theirs.master_lid)
    for guid, value in theirs.LidsByGuid().items():
        mine = ours.LidsByGuid().get(guid)
        Expect(mine == value, "port 0x%x: LID and LMC %s with OpenSM, %s with us", guid, value, mine)
    compared = 0
    for guid, table in theirs.TablesByGuid().items():
        mine = ours.TablesByGuid()[guid]
        size = max(len(table), len(mine))
        table, mine = table.ljust(size, b"\xff"), mine.ljust(size, b"\xff")
        for lid in range(size):
            if table[lid] == 0xff and base <= lid < base + (1 << lmc):
                continue
            Expect(table[lid] == mine[lid], "switch 0x%x LID %d: port %d with OpenSM, %d with us",
                   guid, lid, table[lid], mine[lid])
        compared += size
    for name, top in theirs.tops.items():
        Expect(ours.tops[name] == top, "%s: LinearFDBTop %d with OpenSM, %d with us", name, top,
               ours.tops[name])
    return compared


def Differential(net, seat, options, context):
    """OpenSM and the SM under test give the same LIDs and byte-identical forwarding tables."""
    theirs, their_dumps = ReadAfter(context, net, seat, "opensm", **options)
    ours, our_dumps = ReadAfter(context, net, seat, context.kind, **options)
    compared = Compare(theirs, ours)
    context.Note("%d LIDs and %d table entries are the same", len(theirs.lids), compared)
    for name, lines in their_dumps.items():
        mine = our_dumps[name]
        odd = [line for line in set(lines) ^ set(mine)]
        Expect(len(lines) == len(mine) and not odd, "%s differs: %s", name, odd[:2])
        context.Note("%s: %d lines are the same", name, len(lines))


for _net, _seat, _loops, _short in BRING_UPS:
    Add("differential." + _net + ("" if _seat is None else "." + _seat.lower()),
        functools.partial(Differential, _net, _seat, {}), _short,
        1800 if _net == "ft3-k36" else 150)
for _net in ("ft2-k8", "random"):
    Add("differential.%s.lmc2" % _net, functools.partial(Differential, _net, None, {"lmc": 2}))
