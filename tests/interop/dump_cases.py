# SPDX-License-Identifier: Apache-2.0
# EmberSM: cases: dump files under every engine are OpenSM's, and engine `file` reads them as it does.
"""Files are compared octet for octet, the order of their lines included."""
import functools
import os
import re

from bring_up_cases import Compare
from cases import Add
from checks import Expect
from engine_cases import APART, HopWeights, RootsOf

HOPS = ("opensm-lid-matrix.dump", "opensm.fdbs", "opensm-lfts.dump")
NODE_ORDER = "opensm-ftree-ca-order.dump"


def Run(context, net, kind, configuration, files, apart, names):
    """A manager's tables, and what it writes into the dump files of these names."""
    simulator = context.Simulate(net)
    for key, text in sorted(files.items()):
        path = os.path.join(context.directory, key)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text(simulator) if callable(text) else text)
        configuration += "%s %s\n" % (key, os.path.abspath(path))
    configuration += "" if kind == "opensm" else "order opensm\n"
    manager = context.Manage(simulator.hosts[0].name, name=kind, kind=kind,
                             configuration=configuration)
    manager.WaitUp(120)
    manager.WaitQuiet()
    subnet = context.Read(simulator.hosts[0].name)
    subnet.Check(apart)
    folder = manager.Dump()
    if kind == "opensm":
        manager.Stop()  # It has written the last of its files by then.
    dumps = {}
    for name in names:
        with open(os.path.join(folder, name), "rb") as file:
            dumps[name] = file.read()
    manager.Stop()
    return subnet, dumps


def Without(octets, lids):
    """A dump without the lines of these LIDs."""
    heads = tuple(b"0x%04x" % lid for lid in lids) + tuple(b"0x%04X" % lid for lid in lids)
    return b"".join(line for line in octets.splitlines(True) if not line.startswith(heads))


def SameDumps(context, theirs, ours, completed=()):
    """Of the LIDs `completed` lines may differ: ways to the subnet manager that OpenSM leaves out."""
    for name, octets in theirs.items():
        octets, mine = Without(octets, completed), Without(ours[name], completed)
        if octets != mine:
            pairs = zip(octets.split(b"\n") + [b""], mine.split(b"\n") + [b""])
            odd = next((pair for pair in pairs if pair[0] != pair[1]), (b"", b""))
            Expect(False, "%s: OpenSM writes %s, we %s", name, odd[0], odd[1])
        Expect(octets, "%s is empty", name)
        context.Note("%s: %d octets are the same", name, len(octets))


def Dumps(engine, net, text, files, context):
    """What the SM under test dumps under this engine is, octet for octet, what OpenSM dumps."""
    names = HOPS + ((NODE_ORDER,) if engine == "ftree" else ())
    configuration = "routing_engine %s,no_fallback\n%s" % (engine, text)
    apart = engine in APART
    theirs, their_dumps = Run(context, net, "opensm", configuration, files, apart, names)
    ours, our_dumps = Run(context, net, context.kind, configuration, files, apart, names)
    Compare(theirs, ours)
    SameDumps(context, their_dumps, our_dumps, (ours.master_lid,) if apart else ())
    if net.endswith("uneven") and engine == "ftree":
        context.Note("%d dummies", our_dumps[NODE_ORDER].count(b"0xFFFF\tDUMMY\n"))
        Expect(b"0xFFFF\tDUMMY\n" in our_dumps[NODE_ORDER], "no leaf was filled up")


def DumpPlan():
    """Yields (engine, net, label, text, files, part of the short run)."""
    for net in ("ft2-k8-uneven", "ft3-k8", "ft3-k8-uneven", "ft3-thin-uneven", "ft4"):
        yield "ftree", net, "", "", {}, net == "ft3-k8-uneven"
    for net in ("ft3-k8-broken", "ft3-k8-uneven"):
        yield "ftree", net, "roots", "", {"root_guid_file": RootsOf(net)}, False
    for net in ("ft3-k8-broken", "ft2-trunks", "torus-4x4x4", "random", "dragonfly"):
        roots = {"root_guid_file": RootsOf(net)}
        short = net in ("ft3-k8-broken", "random")
        yield "minhop", net, "", "", {}, False
        yield "dor", net, "", "", {}, False
        yield "dnup", net, "", "", {}, short
        yield "dnup", net, "connected", "connect_roots TRUE\n", {}, False
        yield "updn", net, "roots", "", roots, short
        yield "updn", net, "connected", "connect_roots TRUE\n", roots, False
    yield "updn", "ft3-k8", "", "", {}, False
    yield "updn", "ft2-k8", "lmc", "lmc 2\n", {}, False
    yield "minhop", "random", "weights", "", {"hop_weights_file": HopWeights}, True


for _engine, _net, _label, _text, _files, _short in DumpPlan():
    Add(".".join(filter(None, ("dumps", _engine, _net, _label))),
        functools.partial(Dumps, _engine, _net, _text, _files), _short, 200)


# --- Engine file -----------------------------------------------------------------------------------
def Moved(text):
    """The same dump from a subnet that gave out its LIDs from the last to the first."""
    row = re.compile(r"^0x([0-9a-f]{4})(?=[: ])", re.M)
    top = max(int(lid, 16) for lid in row.findall(text))
    return row.sub(lambda match: "0x%04x" % (top + 1 - int(match[1], 16)), text)


# OpenSM's routes from such a matrix lose a pair. From a mere switch that is let pass, and told; from the
# switch at which the manager sits it is refused.
AT_A_SWITCH = "the routes of this matrix do not lead from the manager's switch to another one"


def FromFile(recorded, net, options, moved, context):
    """Engine file takes what OpenSM wrote under another engine as OpenSM itself takes it."""
    apart = recorded in APART
    files = {"root_guid_file": RootsOf(net)} if recorded == "updn" else {}
    names = ("opensm-lfts.dump", "opensm-lid-matrix.dump")
    _, dumps = Run(context, net, "opensm", "routing_engine %s,no_fallback\n" % recorded, files,
                   apart, names)
    texts = {LFTS: dumps[names[0]].decode(), MATRIX: dumps[names[1]].decode()}
    ours = {key: Moved(texts[key]) if moved else texts[key] for key in options}
    # OpenSM follows port GUIDs in tables only: rows of a matrix keep the LIDs that they had.
    theirs = {key: texts[key] if key == MATRIX else ours[key] for key in options}
    configuration = "routing_engine file,no_fallback\n"
    theirs, their_dumps = Run(context, net, "opensm", configuration, theirs, apart, names)
    ours, our_dumps = Run(context, net, context.kind, configuration, ours, apart, names)
    context.Note("%d table entries are the same", Compare(theirs, ours))
    SameDumps(context, their_dumps, our_dumps, (ours.master_lid,) if apart else ())


LFTS, MATRIX = "lfts_file", "lid_matrix_dump_file"
for _recorded, _net, _options, _moved, _short in (
        ("minhop", "ft3-k8-broken", (LFTS,), False, True),
        ("minhop", "random", (LFTS,), True, True),
        ("minhop", "torus-4x4x4", (MATRIX,), False, False),
        ("minhop", "random", (MATRIX,), True, False),
        ("updn", "ft3-k8-broken", (LFTS,), True, False),
        ("updn", "ft3-k8-broken", (MATRIX,), False, True),
        ("updn", "ft3-k8-broken", (MATRIX,), True, True),
        ("updn", "random", (LFTS, MATRIX), True, False),
        ("dnup", "ft3-k8", (LFTS, MATRIX), False, False)):
    Add(".".join(filter(None, ("file", _recorded, _net,
                               "+".join(option.split("_")[0] for option in _options),
                               "moved" if _moved else ""))),
        functools.partial(FromFile, _recorded, _net, _options, _moved), _short, 200,
        hosts_only=AT_A_SWITCH if _moved and _net == "random" and MATRIX in _options else "")
