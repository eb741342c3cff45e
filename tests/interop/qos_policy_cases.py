# SPDX-License-Identifier: Apache-2.0
# EmberSM: cases: paths under a QoS policy and partitions, as OpenSM tells them.
"""Some thousand random questions, of which each rule of the policy fits some."""
import os
import random

import multi_path_cases
import path_cases
import sa
from cases import Add
from path_cases import ABOVE, BELOW, BEST, EXACTLY, GET, Pack, TABLE

QUESTIONS = 2500
PREFIX = path_cases.PREFIX
P_KEYS = (0xFFFF, 0x7FFF, 0x8001, 0x0001, 0x8002, 0x8003, 0x8004)
SERVICES = (0, 1, 0x10000, 0x10001, 0x1FFFF, 0x20000, 0x10648CA, 0x1060CBC, 0x1060007, 0xABC, 0xABD)

POLICY = """port-groups
    port-group
        name: Storage
        port-guid: 0x%(h1)x, 0x%(h2)x-0x%(h3)x
    end-port-group
    port-group
        name: Compute
        use: by name, and by partition
        port-name: "%(n4)s/P1"
        pkey: 0x0002
    end-port-group
    port-group
        name: Switches
        node-type: SWITCH
    end-port-group
    port-group
        name: Manager
        node-type: SELF
    end-port-group
end-port-groups
qos-levels
    qos-level
        name: DEFAULT
        sl: 1
    end-qos-level
    qos-level
        name: Slow
        sl: 2
        mtu-limit: 3
        rate-limit: 2
        packet-life: 9
    end-qos-level
    qos-level
        name: Apart
        sl: 3
        pkey: 0x0001, 0x0003-0x0004
    end-qos-level
    qos-level
        name: Short
        sl: 4
        packet-life: 20
    end-qos-level
    qos-level
        name: Dropped
        sl: 15
    end-qos-level
end-qos-levels
qos-match-rules
    qos-match-rule
        use: a class of paths
        qos-class: 7-9, 11
        qos-level-name: Slow
    end-qos-match-rule
    qos-match-rule
        source: Storage
        destination: Compute
        qos-level-name: Apart
    end-qos-match-rule
    qos-match-rule
        source: Manager
        service-id: 0xABC-0xABD
        qos-level-name: Short
    end-qos-match-rule
    qos-match-rule
        destination: Switches
        pkey: 0x0001
        qos-level-name: Slow
    end-qos-match-rule
    qos-match-rule
        qos-class: 100
        service-id: 1
        qos-level-name: Dropped
    end-qos-match-rule
end-qos-match-rules
qos-ulps
    sdp, port-num 1 : 5
    sdp : 6
    rds : 5
    iser, port-num 7 : 6
    iser : 7
    ipoib, pkey 0x0003 : 8
    any, pkey 0x0004 : 9
    any, target-port-guid 0x%(h5)x : 10
end-qos-ulps
"""


def Configure(context, simulator):
    """Files of partitions and policy; the keys that name them."""
    guids = {"h%d" % i: host.PortGuid(1) for i, host in enumerate(simulator.hosts)}
    # A range of GUIDs needs two that ascend.
    guids["h2"], guids["h3"] = sorted((guids["h2"], guids["h3"]))
    names = {"n4": simulator.hosts[4].name}
    lines = ["Default=0x7fff, ipoib: ALL=full;"]
    for p_key, members in ((1, (1, 2, 4, 6)), (2, (5, 6)), (3, (0, 1, 2, 4)), (4, (3, 5, 6))):
        words = ["0x%x=%s" % (simulator.hosts[i].PortGuid(1), "full" if i % 3 else "limited")
                 for i in members]
        lines.append("Part%d=0x%x, sl=%d: %s;" % (p_key, p_key, p_key + 10, ", ".join(words)))
    keys = ["qos TRUE", "qos_sl2vl 0,1,2,3,4,5,6,7,0,1,2,3,4,5,6,15"]
    for key, text in (("partition_config_file", "\n".join(lines) + "\n"),
                      ("qos_policy_file", POLICY % dict(guids, **names))):
        path = os.path.join(context.directory, key)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        keys.append("%s %s" % (key, path))
    return "\n".join(keys) + "\n"


def Value(draw, values):
    return draw.choice((ABOVE, BELOW, EXACTLY, BEST)) | draw.choice(values)


CHOICES = {
    "pkey": lambda draw: draw.choice(P_KEYS),
    "service": lambda draw: draw.choice(SERVICES),
    "qos": lambda draw: draw.choice((0, 6, 7, 9, 10, 11, 100, 4095)),
    "sl": lambda draw: draw.randrange(16),
    "mtu": lambda draw: Value(draw, (1, 2, 3, 4, 5)),
    "rate": lambda draw: Value(draw, (2, 3, 4, 5, 6)),
    "life": lambda draw: Value(draw, (1, 8, 9, 17, 18, 19, 20, 21)),
    "reversible": lambda draw: 1,
}
LIKELY = {"pkey": 0.4, "service": 0.4, "qos": 0.3, "reversible": 0.2}


def Fields(draw):
    return {name: value(draw) for name, value in CHOICES.items()
            if draw.random() < LIKELY.get(name, 0.12)}


def Questions(ends):
    """Random ones; the same for every manager of the same subnet."""
    draw = random.Random(13)
    for _ in range(QUESTIONS):
        (guid, lid), (other_guid, other_lid) = draw.choice(ends), draw.choice(ends)
        by_lids = draw.random() < 0.5
        names = dict(slid=lid, dlid=other_lid) if by_lids else dict(
            sgid=PREFIX << 64 | guid, dgid=PREFIX << 64 | other_guid)
        yield "random", draw.choice((GET, TABLE)), Pack(**names, **Fields(draw))


def MultiQuestions(ends):
    draw = random.Random(14)
    gids = [PREFIX << 64 | guid for guid, _ in ends]
    for _ in range(QUESTIONS):
        fields = Fields(draw)
        if "service" in fields:  # In two parts, of which the upper one is 0.
            fields["service_low"], fields["service"] = fields["service"], 0
        yield "random", sa.GET_MULTI, multi_path_cases.Pack(
            draw.sample(gids, draw.choice((1, 1, 2))), draw.sample(gids, draw.choice((1, 1, 3))),
            **fields)


def MultiBesideOpensm(context):
    sa.RECORDS["MultiPathRecord"] = (0x3A, 64)  # For this case alone: others ask for all tables.
    path_cases.RunBesideOpensm(context, 0, "MultiPathRecord", MultiQuestions,
                               multi_path_cases.Told, Configure)


for _lmc in (0, 1):
    Add("qos-policy.beside-opensm-lmc%d" % _lmc,
        lambda context, lmc=_lmc: path_cases.RunBesideOpensm(
            context, lmc, questions=Questions, configure=Configure),
        _lmc == 0, timeout_s=240, kinds=("embersm",))
Add("qos-policy.multi-beside-opensm", MultiBesideOpensm, timeout_s=240, kinds=("embersm",))
