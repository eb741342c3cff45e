# SPDX-License-Identifier: Apache-2.0
# EmberSM: cases: subnets with routers: paths that leave them, routes and P_Keys of router ports.
"""OpenSM and EmberSM manage the same net, in which two routers hang, one after the other. ibsim
takes no Set of GUIDInfo, so the aliases of `rtr_aguid_enable` are shown on the simulated fabric of
tests/scenarios alone.
"""
import itertools
import os

import ibsim
import multi_path_cases
import nets
import partition_cases
import path_cases
import sa
import tables
from cases import Add, Named
from checks import Expect
from path_cases import ABOVE, BELOW, BEST, EXACTLY, PREFIX, Pack

GET, TABLE = sa.GET, sa.GET_TABLE
# Prefixes of other subnets: by which router each is reached, as the file below has it.
BY_SECOND, BY_ANY, BY_ABSENT, BY_FIRST, BY_HOST, UNNAMED = (0xFEC0000000000002 + i
                                                            for i in range(6))
FAR = (BY_SECOND, BY_ANY, BY_ABSENT, BY_FIRST, BY_HOST)


def RoutedNet():
    """The triangle of the cases for paths, and two routers."""
    net = path_cases.MixedNet()
    for number, switch in enumerate(("S-1", "S-0")):
        net.Router("r%d" % number, switch)
    return net


def RoutersOf(simulator):
    return sorted(node.PortGuid(1) for name, node in simulator.nodes.items()
                  if name.startswith("R-"))


def PrefixFile(simulator, with_any):
    """Every form of a line: with 0x and without, comments, wildcards, a router that is absent,
    a host in the place of one."""
    first, second = RoutersOf(simulator)
    lines = ["# prefix, router", "",
             "0x%016x 0x%016x" % (BY_SECOND, second),
             "%016x *" % BY_ANY,
             "0x%x 0x%x  # switched off" % (BY_ABSENT, 0xDEAD),
             "0x%x %x" % (BY_FIRST, first),
             "0x%x 0x%x" % (BY_HOST, simulator.hosts[3].PortGuid(1))]
    return "\n".join(lines + (["* 0x%x" % second] if with_any else [])) + "\n"


def Configure(context, simulator, with_any=False):
    path = os.path.join(context.directory, "prefix_routes_file")
    with open(path, "w", encoding="utf-8") as file:
        file.write(PrefixFile(simulator, with_any))
    return "prefix_routes_file %s\n" % path


def Questions(ends):
    """As path_cases.Questions, but to GIDs of other subnets."""
    gid = [PREFIX << 64 | guid for guid, _ in ends]
    lid = [first for _, first in ends]
    for prefix, method in itertools.product((*FAR, UNNAMED), (GET, TABLE)):
        for i in range(len(ends)):
            for low in (0x99, ends[0][0]):
                far = prefix << 64 | low
                yield "far", method, Pack(sgid=gid[i], dgid=far)
                yield "far from a LID", method, Pack(slid=lid[i], dgid=far)
                yield "far by a LID", method, Pack(sgid=gid[i], dgid=far, dlid=lid[-1 - i % 3])
        yield "far to far", method, Pack(sgid=prefix << 64 | 0x98, dgid=prefix << 64 | 0x99)
        yield "far to near", method, Pack(sgid=prefix << 64 | 0x98, dgid=gid[0])
    for prefix in FAR:
        far = prefix << 64 | 0x99
        yield "half, far", TABLE, Pack(dgid=far)
        for numb in (0, 1, 3, 127):
            yield "numb, far", TABLE, Pack(sgid=gid[0], dgid=far, numb=numb)
    pair = dict(sgid=gid[0], dgid=BY_SECOND << 64 | 0x99)
    for how in (ABOVE, BELOW, EXACTLY, BEST):
        for name, values in (("rate", range(2, 19)), ("mtu", range(1, 6)), ("life", range(16, 21))):
            for value in values:
                yield name + ", far", GET, Pack(**{name: how | value}, **pair)
    yield "ignored, far", GET, Pack(flow=5, hops=6, tclass=7, qos=8, service=9, **pair)
    for sl, p_key in itertools.product((0, 5, 15), (0x7FFF, 0xFFFF, 0x8001)):
        yield "SL and P_Key, far", GET, Pack(sl=sl, pkey=p_key, **pair)
    for value in (0, 1):
        yield "raw, far", GET, Pack(raw=value, **pair)
        yield "reversible, far", GET, Pack(reversible=value, **pair)


def IsFar(record):
    """DGID has another prefix."""
    return int.from_bytes(record[8:16], "big") != PREFIX


def PathsBesideOpensm(context, lmc, with_any):
    """Paths to GIDs of other subnets are OpenSM's, by each form of a line of the file."""
    answers = path_cases.RunBesideOpensm(
        context, lmc, questions=Questions, net=RoutedNet,
        configure=lambda context, simulator: Configure(context, simulator, with_any))
    far = sum(IsFar(record) for *_, records in answers for record in records)
    Expect(far > 100, "only %d paths leave the subnet", far)
    context.Note("%d of the paths leave the subnet", far)


for _lmc, _any in ((0, False), (0, True), (1, False)):
    Add("router.paths-lmc%d%s" % (_lmc, "-any" if _any else ""),
        lambda context, lmc=_lmc, with_any=_any: PathsBesideOpensm(context, lmc, with_any),
        _lmc == 0, timeout_s=240, kinds=("embersm",))


@Named("router.values", kinds=("embersm",))
def Values(context):
    """PathRecord and MultiPathRecord to another subnet say what the keys rtr_pr_* say."""
    sa.RECORDS["MultiPathRecord"] = (0x3A, 64)
    simulator = context.Simulate(RoutedNet())
    manager = context.Manage(simulator.hosts[0].name, configuration=Configure(context, simulator) +
                             "rtr_pr_flow_label 0x12345\nrtr_pr_tclass 0x67\nrtr_pr_sl 5\n"
                             "rtr_pr_mtu 2\nrtr_pr_rate 2\n")
    manager.WaitUp()
    manager.WaitQuiet()
    witness = context.Witness(manager.node)
    lids = context.Read(witness, manager.node).LidsByGuid()
    router = RoutersOf(simulator)[1]
    source = PREFIX << 64 | simulator.hosts[2].PortGuid(1)
    near = PREFIX << 64 | simulator.hosts[3].PortGuid(1)
    far = BY_SECOND << 64 | 0x99

    def Field(record, name):
        bit, width, _ = path_cases.ROWS[name]
        return int.from_bytes(record, "big") >> (512 - bit - width) & ((1 << width) - 1)

    def Check(record):
        told = {name: Field(record, name) for name in
                ("dgid", "sgid", "dlid", "flow", "hops", "tclass", "sl", "mtu", "rate")}
        wanted = {"dgid": far, "sgid": source, "dlid": lids[router][0], "flow": 0x12345,
                  "hops": 255, "tclass": 0x67, "sl": 5, "mtu": EXACTLY | 2, "rate": EXACTLY | 2}
        Expect(told == wanted, "a path says %s, not %s", told, wanted)

    with sa.Client(simulator, witness) as client:
        server = ibsim.PortField(client.Ask((), ibsim.PORT_INFO)[1], "master_sm_lid")
        mask, octets = Pack(sgid=source, dgid=far)
        status, records = client.Query(server, "PathRecord", mask=mask, data=octets, method=GET)
        Expect(status == 0 and len(records) == 1, "status %#x, %d paths", status, len(records))
        Check(records[0])
        mask, octets = multi_path_cases.Pack([source], [far, near])
        status, records = client.Query(server, "MultiPathRecord", mask=mask, data=octets,
                                       method=sa.GET_MULTI)
        Expect(status == 0 and len(records) == 2, "status %#x, %d paths", status, len(records))
        Check(next(record for record in records if IsFar(record)))
        inside = next(record for record in records if not IsFar(record))
        Expect(Field(inside, "flow") == 0 and Field(inside, "sl") == 0, "a path inside has changed")
    context.Note("a path of each attribute says what the keys say")


@Named("router.ftree", kinds=("embersm",))
def Ftree(context):
    """Under ftree all routes are OpenSM's, and routers are reached, which OpenSM does not."""
    net = nets.FatTree2(8)
    for name in net.switches:  # A port more than the tree needs.
        net.switches[name] += 1
    for leaf in ("S-leaf1", "S-leaf6"):
        net.Router("of-" + leaf, leaf)
    read = {}
    for kind, order in (("opensm", ""), ("embersm", "order opensm\n")):
        simulator = context.Simulate(net)
        manager = context.Manage(simulator.hosts[0].name, kind=kind,
                                 configuration="routing_engine ftree,no_fallback\n" + order)
        manager.WaitUp()
        manager.WaitQuiet()
        read[kind] = context.Read(context.Witness(manager.node), manager.node)
        manager.Stop()
    theirs, ours = read["opensm"], read["embersm"]
    lids = ours.LidsByGuid()
    Expect(lids == theirs.LidsByGuid(), "the LIDs differ")
    routers = {lids[guid][0] for guid in RoutersOf(ours.simulator)}
    Expect(len(routers) == 2, "%d routers have LIDs", len(routers))
    compared = added = 0
    our_tables = ours.TablesByGuid()
    for guid, table in theirs.TablesByGuid().items():
        for lid, exit in enumerate(our_tables[guid]):
            wanted = table[lid] if lid < len(table) else 255
            if lid in routers:
                added += wanted == 255
                Expect(exit != 255, "switch %#x has no route to router LID %d", guid, lid)
            else:
                compared += 1
                Expect(exit == wanted, "switch %#x sends LID %d to port %d, with OpenSM to %d",
                       guid, lid, exit, wanted)
    context.Note("%d entries alike, %d routes to routers that OpenSM lacks", compared, added)


@Named("router.partitions", kinds=("embersm",))
def Partitions(context):
    """ALL_ROUTERS puts routers, and nothing else, into a partition, as with OpenSM."""
    def ConfigureBoth(_, __):
        path = os.path.join(context.directory, "partitions.conf")
        with open(path, "w", encoding="utf-8") as file:
            file.write("Default=0x7fff, ipoib: ALL=full;\nFar=0x12: ALL_ROUTERS=full;\n"
                       "Mixed=0x13: ALL_ROUTERS=limited, ALL_SWITCHES=full;\n")
        return "partition_config_file %s\n" % path

    held = tables.BesideOpensm(context, RoutedNet(), ConfigureBoth, partition_cases.Tables)
    with_far = {name for (name, _), keys in held.items() if 0x8012 in keys}
    Expect(all(name.startswith("R-") for name in with_far if not name.startswith("S-")) and
           len([name for name in with_far if name.startswith("R-")]) == 2,
           "in the partition of routers are %s", sorted(with_far))
    context.Note("%d P_Key tables alike", len(held))
