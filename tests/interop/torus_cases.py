# SPDX-License-Identifier: Apache-2.0
# EmberSM: cases: torus-2QoS beside OpenSM's: paths at two levels of service, and lanes of ports.
"""The tori and meshes are those of tests/golden/torus. A torus has two levels of service: bit 3 of
the service level that a QoS level, a partition or the question asks for chooses one, and the other
bits are those of the path."""
import functools
import importlib.util
import os
import random
import sys

import lane_cases
import path_cases
import tables
from cases import Add
from checks import Expect
from path_cases import GET, PREFIX, TABLE, Pack

GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "golden")
TORI = ("torus-3x3x3", "torus-5x4x3", "torus-4x4x4", "torus-6x5", "mesh-4x3x3", "double-x",
        "dateline", "parallel-flat", "broken-links", "one-switch")
QUESTIONS = 400
LEVELS = (8, 3, 15, 0)
POLICY = """qos-ulps
    default : %d
    any, service-id 0x11 : %d
    any, service-id 0x12 : %d
    any, service-id 0x13 : %d
end-qos-ulps
""" % LEVELS


@functools.cache
def Golden():
    sys.path.insert(0, GOLDEN)
    place = os.path.join(GOLDEN, "torus", "cases.py")
    spec = importlib.util.spec_from_file_location("torus_golden_cases", place)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.CASES


def Configure(name, with_policy, context, simulator):
    """torus_config of the golden case, a policy and a partition with levels of their own."""
    members = ", ".join("0x%x=full" % host.PortGuid(1) for host in simulator.hosts[::2])
    files = {"torus_config": Golden()[name].Files(simulator.nodes)["torus_config"],
             "partition_config_file": "Default=0x7fff, ipoib, sl=8: ALL=full;\n"
                                      "Even=0x5, sl=9: %s;\n" % members}
    if with_policy:
        files["qos_policy_file"] = POLICY
    keys = ["routing_engine torus-2QoS,no_fallback", "qos TRUE"]
    for key, text in files.items():
        path = os.path.join(context.directory, key)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        keys.append("%s %s" % (key, path))
    return "\n".join(keys) + "\n"


def Questions(ends):
    """Random pairs; without a level, with a service or a P_Key that has one, and with one asked."""
    draw = random.Random(17)
    for _ in range(QUESTIONS):
        (guid, lid), (other_guid, other_lid) = draw.choice(ends), draw.choice(ends)
        names = dict(slid=lid, dlid=other_lid) if draw.random() < 0.5 else dict(
            sgid=PREFIX << 64 | guid, dgid=PREFIX << 64 | other_guid)
        fields = {}
        if draw.random() < 0.5:
            fields["sl"] = draw.randrange(16)
        if draw.random() < 0.4:
            fields["service"] = draw.choice((0x11, 0x12, 0x13, 0x14))
        if draw.random() < 0.3:
            fields["pkey"] = draw.choice((0x5, 0x7FFF, 0xFFFF))
        yield "random", draw.choice((GET, TABLE)), Pack(**names, **fields)


def Levels(answers):
    return {int.from_bytes(record, "big") >> 80 & 0xF
            for _, _, _, _, records in answers for record in records}


def Paths(name, with_policy, context):
    answers = path_cases.RunBesideOpensm(
        context, 0, questions=Questions, configure=functools.partial(Configure, name, with_policy),
        net=Golden()[name].make_net)
    levels = Levels(answers)
    Expect({sl >> 3 for sl in levels} == {0, 1} or not with_policy,
           "paths are of one level of service: %s", sorted(levels))
    Expect(any(sl >= 8 for sl in levels), "no path has an SL of 8 and more")
    context.Note("SLs %s", " ".join(map(str, sorted(levels))))


def Lanes(name, context):
    """VL arbitration too: links to end ports share among two lanes."""
    def Text(simulator, kind):
        return (Configure(name, False, context, simulator)
                + lane_cases.OPENSM_SWEEPS * (kind == "opensm")
                + "qos_swe_vlarb_low 0:8,1:8,2:8,3:8,4:4,5:4,6:4,7:4\nqos_vlarb_high 0:1,4:2\n")
    theirs = tables.BesideOpensm(context, Golden()[name].make_net(), Text, lane_cases.Tables)
    shares = {table[:16] for at, table in theirs.items() if at[2] == 1 and table is not None}
    Expect(len(shares) > 1, "all links share alike")
    context.Note("%d tables", sum(1 for table in theirs.values() if table is not None))


for _name in TORI:
    for _with_policy in (True, False):
        Add("torus.paths-%s%s" % (_name, "-policy" if _with_policy else ""),
            functools.partial(Paths, _name, _with_policy), False,
            timeout_s=240, kinds=("embersm",), hosts_only="OpenSM sits at a host")
for _name in ("torus-3x3x3", "torus-6x5", "parallel-flat"):
    Add("torus.lanes-" + _name, functools.partial(Lanes, _name), False,
        timeout_s=240, kinds=("embersm",), hosts_only="OpenSM sits at a host")
