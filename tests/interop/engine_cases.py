# SPDX-License-Identifier: Apache-2.0
# EmberSM: cases: every engine, with every option file, makes OpenSM's tables.
"""Both managers get the same opensm.conf, option files included, and their tables are compared."""
import functools
import os

from bring_up_cases import Compare, ReadAfter
from cases import Add
from checks import Expect

# Engines that do not reach every switch's own LID from everywhere.
APART = ("updn", "dnup", "ftree")


def Hex(guids):
    return "".join("0x%016x\n" % guid for guid in guids)


def Named(simulator, *words):
    """The switches whose names begin with one of these words."""
    return [node for node in simulator.switches
            if any(node.name.startswith("S-" + word) for word in words)]


# Each of these writes the text of one option file for a simulated net.
def Roots(*words):
    return lambda simulator: Hex(node.guid for node in Named(simulator, *words))


def Ids(simulator):
    return "".join("0x%016x %d\n" % (node.guid, (index * 7919) % 10007)
                   for index, node in enumerate(simulator.switches))


def EveryHost(step, first=0):
    return lambda simulator: Hex(node.PortGuid(1) for node in simulator.hosts[first::step])


def BackwardHosts(simulator):
    return Hex(node.PortGuid(1) for node in reversed(simulator.hosts))


def HopWeights(simulator):
    lines = []
    for index, node in enumerate(simulator.switches):
        ports = [port for port, peer in sorted(node.ports.items())
                 if simulator.nodes[peer.node].is_switch]
        lines += ["0x%016x %d %d\n" % (node.guid, port, 2 + (index + port) % 3)
                  for port in ports[::3]]
    return "".join(lines)


def PortOrders(simulator):
    return "".join("0x%016x %s\n" % (node.guid, " ".join(map(str, sorted(node.ports)[::-2])))
                   for node in simulator.switches[::2])


def Ignored(simulator):
    return "".join("0x%016x %d\n" % (node.guid, max(node.ports)) for node in simulator.switches)


LMC = ("lmc 2\n", {})
MINHOP_NETS = ("ft3-k8-broken", "dragonfly", "random")
FILES = {
    "hop-weights": ("", {"hop_weights_file": HopWeights}),
    "search-order": ("", {"port_search_ordering_file": PortOrders}),
    "ignored": ("", {"port_prof_ignore_file": Ignored}),
    "order": ("", {"guid_routing_order_file": BackwardHosts}),
    "scatter": ("scatter_ports 8\n", {}),
    "scatter-ordered": ("scatter_ports 8\nguid_routing_order_no_scatter TRUE\n",
                        {"guid_routing_order_file": EveryHost(2)}),
    "shifting": ("port_shifting TRUE\n", {}),
}
TREES = ("ft2-k8", "ft2-thin", "ft2-trunks", "ft3-k8", "ft3-k8-shuffled", "ft3-thin", "ft4")
BROKEN = ("ft2-k8-broken", "ft3-k8-broken", "ft3-k8-fewer")
GRAPHS = {"torus-4x4x4": "0.0.0", "mesh-8x8": "0.0", "hypercube-6": "0", "dragonfly": "g0.0",
          "random": "0"}


def RootsOf(net):
    """A root file for a net: the top of a tree, or one switch of a graph."""
    if net in GRAPHS:
        return Roots(GRAPHS[net])
    if net.startswith("ft2"):
        return Roots("spine", "2-")
    return Roots("core", "4-") if net != "ft3-thin" else Roots("3-")


def Plan():
    """Yields (engine, net, label, text, files, part of the short run)."""
    for net in TREES + BROKEN + tuple(GRAPHS):
        short = net in ("ft3-k8-broken", "random", "ft2-trunks", "torus-4x4x4")
        roots = {"root_guid_file": RootsOf(net)}
        yield "updn", net, "roots", "", roots, short
        yield "dor", net, "", "", {}, short and net != "ft2-trunks"
        yield "dnup", net, "", "", {}, short
        if net not in GRAPHS:
            yield "updn", net, "", "", {}, False
            yield "ftree", net, "roots", "", roots, short
        if net in TREES:
            yield "ftree", net, "", "", {}, net in ("ft3-k8-shuffled", "ft4")
    for net in TREES + BROKEN + tuple(GRAPHS):
        yield "sssp", net, "", "", {}, net in ("random", "torus-4x4x4")
    for net in ("ft3-k8-broken", "torus-4x4x4", "dragonfly", "random", "ring"):
        yield "lash", net, "", "qos TRUE\n", {}, net in ("random", "ring")
    for net in ("torus-4x4x4", "mesh-8x8", "ring"):
        yield ("lash", net, "analysis", "qos TRUE\ndo_mesh_analysis TRUE\n", {},
               net == "mesh-8x8")
    for net in ("ft3-k8-broken", "dragonfly", "random", "ring"):
        yield "dfsssp", net, "", "qos TRUE\n", {}, net in ("random", "ring")
    yield "sssp", "random", "lmc2", LMC[0], {}, True
    yield ("sssp", "random", "nodes", "",
           {"cn_guid_file": EveryHost(2), "io_guid_file": EveryHost(3, 1)}, True)
    for net in MINHOP_NETS:
        for label, (text, files) in FILES.items():
            yield "minhop", net, label, text, files, net == "random"
    for engine in ("minhop", "updn", "dnup", "dor"):
        for net in ("ft3-k8-broken", "random"):
            files = {"root_guid_file": RootsOf(net)} if engine == "updn" else {}
            yield engine, net, "lmc2", LMC[0], files, net == "random"
    for net in ("ft3-k8-broken", "random"):
        roots = {"root_guid_file": RootsOf(net)}
        yield "updn", net, "ids", "", dict(roots, ids_guid_file=Ids), net == "random"
        yield "dor", net, "search-order", "", {"port_search_ordering_file": PortOrders}, True
    for net in ("ft3-k8", "ft3-k8-broken"):
        roots = {"root_guid_file": RootsOf(net)}
        connected = "connect_roots TRUE\n"
        yield "updn", net, "connected", connected, roots, net == "ft3-k8"
        yield "ftree", net, "connected", connected, roots, net == "ft3-k8"
        yield "ftree", net, "nodes", "", dict(roots, cn_guid_file=EveryHost(2)), False
        yield ("ftree", net, "io", "max_reverse_hops 2\n",
               dict(roots, cn_guid_file=EveryHost(2), io_guid_file=EveryHost(2, 1)),
               net == "ft3-k8-broken")
        yield "ftree", net, "quasi", "quasi_ftree_indexing TRUE\n", roots, net == "ft3-k8"


def Same(engine, net, text, files, context):
    """OpenSM and the SM under test make byte-identical tables with this engine and these options."""
    simulator = context.Simulate(net)
    configuration = "routing_engine %s,no_fallback\norder opensm\n%s" % (engine, text)
    for key, write in sorted(files.items()):
        path = os.path.join(context.directory, key)
        with open(path, "w", encoding="utf-8") as file:
            file.write(write(simulator))
        configuration += "%s %s\n" % (key, os.path.abspath(path))
    theirs, _ = ReadAfter(context, net, None, "opensm", engine in APART,
                          configuration=configuration.replace("order opensm\n", ""))
    ours, _ = ReadAfter(context, net, None, context.kind, engine in APART,
                        configuration=configuration)
    Expect(theirs.tables, "OpenSM has no table")
    context.Note("%d table entries are the same", Compare(theirs, ours))


for _engine, _net, _label, _text, _files, _short in Plan():
    Add(".".join(filter(None, ("engine", _engine, _net, _label))),
        functools.partial(Same, _engine, _net, _text, _files), _short, 200)
