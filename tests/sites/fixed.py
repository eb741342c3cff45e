# SPDX-License-Identifier: Apache-2.0
# EmberSM: fixed sites of 208 and of 13,284 LIDs: every engine and every option file, at both sizes.
"""A whole tree of three levels, k-port switches: k = 8 has 208 LIDs, k = 36 has 13,284. The torus
that torus-2QoS routes has about as many. ROWS are configurations that together name each option
file and each engine; proofs.py holds them to what `emberc keys` says that there is."""
import os
import random

import chains
import engines
import in_simulation
import on_paper
import option_files
import over_ibsim
import pair
import policies
import trees
from attempt import Attempt
from configuration import Configuration
from drawn_site import Draft, Site
from fabric import Hex
from graphs import Grid

RADIX = {"208": 8, "13284": 36}
TORUS = {"208": ((4, 4, 4), 2), "13284": ((12, 12, 12), 7)}  # Within max_switches of linux_bench.
FEW = 40  # GUIDs in a file of which a part says as much as the whole.


class FixedSite(Site):
    def __init__(self, name, configure, scale, torus=False):
        self.name = name
        draft = self.draft = Draft("fixed", RADIX[scale], "large" if scale == "13284" else "small")
        draft.net.two_port_hosts = False
        if torus:
            sizes, hosts = TORUS[scale]
            draft.grid, draft.shape = (sizes, Grid(draft, sizes, True, hosts, "EDR", "torus"),
                                       True), "torus"
            self.pods = []
        else:
            half = RADIX[scale] // 2
            bottom, middle, _ = trees.ThreeLevels(draft, 2 * half, half, half, half, 1, half, "HDR",
                                                  2 * half)
            self.pods = [below + above for below, above in zip(bottom, middle)]
        draft.seat = draft.net.hosts[0]
        draft.lids_style = "dense"
        draft.net.GiveLids("dense", 0)
        self.form, self.mistakes, self.foreign, self.has_mistakes = "plain", [], False, False
        self.seen = draft.net.Seen(draft.seat)
        configuration = Configuration(draft, random.Random(name), "opensm.conf")
        self.configurations = [configuration]
        configure(configuration, self)
        self.folder = None


def _Roots(one, site):
    one.File("root_guid_file", "roots.txt",
             option_files.Guids(node.guid for node in site.draft.roots))


def MinHop(one, site):
    one.Set(order="opensm")
    one.Engine("minhop", may_deadlock=True)
    one.File("hop_weights_file", "weights.txt", option_files.Weights(site.net))
    one.File("port_search_ordering_file", "search.txt", option_files.SearchOrder(site.net))
    one.File("port_prof_ignore_file", "ignore.txt", option_files.Ignored(site.net))
    one.File("guid_routing_order_file", "order.txt",
             option_files.Guids(option_files.HostGuids(site.net, "compute")))


def UpDown(one, site):
    one.Engine("updn")
    _Roots(one, site)
    one.Set(connect_roots="TRUE", m_key="0x1234", m_key_lease_period=600, sa_key="0x77",
            m_key_protection_level=2)
    one.File("ids_guid_file", "ids.txt", option_files.Numbers(site.net))
    one.File("guid2mkey_file", "guid2mkey", option_files.ManagementKeys(site.net, 0x1234))
    one.File("neighbors_file", "neighbors", option_files.Neighbors(site.net))
    one.Say("M_Keys")


def DownUp(one, site):
    one.Engine("dnup,updn", ("dnup", "updn"))
    one.Set(m_key="0x1234567", m_key_per_port="TRUE", sa_key="0x77",
            replication_key='"%032x"' % 0x5EC2E7)
    one.Say("M_Key of each port; replication")


def DimensionOrder(one, site):
    one.Engine("dor", may_deadlock=True)
    one.File("sa_db_file", "opensm-sa.dump", option_files.Registrations(site.net))
    one.File("edge_ports", "edge-ports.txt",
             option_files.EdgePorts(site.net, site.draft.seat))


def FatTree(one, site):
    hosts = option_files.HostGuids(site.net, "compute")
    one.Engine("ftree")
    _Roots(one, site)
    one.Set(max_reverse_hops=2)
    one.File("cn_guid_file", "compute.txt", option_files.Guids(hosts[FEW:]))
    one.File("io_guid_file", "io.txt", option_files.Guids(hosts[:FEW]))
    policies.DrawPolicy(one)


def Pruned(one, site):
    one.Engine("pqft")
    one.File("prefix_routes_file", "prefix-routes.conf", option_files.Prefixes([]))
    one.File("node_name_map_name", "names", option_files.NameMap(site.net))
    one.File("guid2lid_file", "guid2lid", option_files.Lids(site.net))


def _Way(here, to, lid, half):
    """The exit from one switch of the tree to another, both as (level, pod or plane, place)."""
    level, pod, place = here
    to_level, to_pod, to_place = to
    up = half + 1 + lid % half
    if level == 0:
        plane = {1: to_place, 2: to_pod}.get(to_level)
        return up if plane is None else half + 1 + plane
    if level == 1 and to_level == 0 and pod == to_pod:
        return to_place + 1
    if level == 1 and to_level == 2:
        return half + 1 + to_place if place == to_pod else 1 + lid % half
    if level == 1:
        return 1 + lid % half if to_level == 1 and place != to_place else up
    return 1 + (to_pod if to_level < 2 else lid % (2 * half))


def _ByLevels(site):
    """lfts_file of the tree, by levels and the LID. PortGUIDs stand in the first table alone: at
    13,284 LIDs it has 21 million lines."""
    half = len(site.pods) // 2
    at = {switch: (place // half, pod, place % half) for pod, switches in enumerate(site.pods)
          for place, switch in enumerate(switches)}
    at.update({core: (2, number // half, number % half)
               for number, core in enumerate(site.draft.roots)})
    targets = [(host.lids[1], host.links[1].peer, host.links[1].port, host.port_guids[1])
               for host in site.net.hosts]
    targets = sorted(targets + [(switch.lids[0], switch, 0, switch.guid) for switch in at],
                     key=lambda target: target[0])
    lines = []
    for switch, place in at.items():
        lines.append("Unicast lids [0x0-0x%x] of switch Lid %d guid %s ('of a desk'):" % (
            targets[-1][0], switch.lids[0], Hex(switch.guid)))
        for lid, leaf, port, guid in targets:
            way = port if leaf is switch else _Way(place, at[leaf], lid, half)
            lines.append("0x%04x %03d" % (lid, way) if len(lines) > len(targets) else
                         "0x%04x %03d # Switch portguid %s: 'of a desk'" % (lid, way, Hex(guid)))
        lines.append("%d lids dumped " % len(targets))
    return "\n".join(lines) + "\n"


def FromTables(one, site):
    one.Engine("file", may_deadlock=True)
    one.File("lfts_file", "lfts.txt", _ByLevels(site))


def FromMatrix(one, site):
    """At 13,284 LIDs the matrix would be 300 MB; one that knows few switches is refused there. These
    have the lowest LIDs: a blob holds a row of all switches up to the last LID of the file."""
    if site.draft.size == "small":
        one.Engine("file", may_deadlock=True)
        one.File("lid_matrix_dump_file", "matrix.txt", option_files.HopMatrix(site.net))
    else:
        one.Engine("file,updn", ("updn",))
        one.File("lid_matrix_dump_file", "matrix.txt",
                 option_files.HopMatrix(site.net, sorted(
                     site.net.switches, key=lambda switch: switch.lids[0])[:FEW]))


def Lanes(engine):
    def Configure(one, site):
        one.Engine(engine, may_deadlock=engine == "sssp")
        if engine != "sssp":
            one.Set(qos="TRUE")
            one.lanes_by_routing = True
        if engine == "nue":
            one.Set(nue_max_num_vls=8)
    return Configure


def Partitions(one, site):
    policies.DrawPartitions(one, 64)


def Bandwidths(one, site):
    one.lanes_by_routing = True
    policies.DrawBandwidths(one)


def Torus(one, site):
    engines.Torus(one)


def ChainOf(count, lanes=False):
    def Configure(one, site):
        chains.OfTree(one, count, lanes, site.pods)
    return Configure


# name: (configuration, also over ibsim)
ROWS = {
    "auto": (lambda one, site: None, True), "minhop": (MinHop, False), "updn": (UpDown, False),
    "dnup": (DownUp, False), "dor": (DimensionOrder, False), "ftree": (FatTree, False),
    "pqft": (Pruned, False), "file": (FromTables, False), "matrix": (FromMatrix, False),
    "sssp": (Lanes("sssp"), False), "dfsssp": (Lanes("dfsssp"), False),
    "lash": (Lanes("lash"), False), "nue": (Lanes("nue"), False), "partitions": (Partitions, True),
    "bandwidths": (Bandwidths, False), "torus": (Torus, True), "chain-2": (ChainOf(2), False),
    "chain-3": (ChainOf(3), True), "chain-4": (ChainOf(4), False),
    "chain-lanes": (ChainOf(3, True), True),
}
PAIR = "replication"  # Two managers with one replication_key, over ibsim.


def Names(small_only=False):
    return ["fixed.%s.%s" % (scale, row) for scale in RADIX if scale == "208" or not small_only
            for row in (*ROWS, PAIR)]


def MakeSite(name):
    _, scale, row = name.split(".")
    configure = ROWS[row][0] if row in ROWS else DownUp
    return FixedSite(name, configure, scale, row == "torus")


def Try(name, programs, tools, short=False):
    site = MakeSite(name)
    attempt, row = Attempt(site, programs), name.split(".")[2]
    site.Write(os.path.join(programs.work, name))
    configuration, large = site.configurations[0], site.draft.size == "large"
    plan = None
    if not large:
        plan, _ = on_paper.Plan(attempt, configuration)
    on_paper.Check(attempt, configuration, "fabric.net")
    if not on_paper.Compile(attempt, configuration, "first.blob", 1):
        return attempt
    if row == PAIR:
        pair.Run(attempt, tools, "first.blob")
        return attempt
    if not in_simulation.Once(attempt, configuration, "first.blob", plan, "fabric.net"):
        return attempt
    if not large and (not short or configuration.talks or configuration.levels):
        in_simulation.Life(attempt, "fabric.net", [plan]).Run(False)
    if ROWS[row][1]:
        over_ibsim.Run(attempt, tools, configuration, "first.blob")
    return attempt
