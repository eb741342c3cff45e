# SPDX-License-Identifier: Apache-2.0
# EmberSM: cases: paths between two sets of ports, as OpenSM tells them.
"""MultiPathRecord: the questions of path_cases.py for several ends at once."""
import itertools

import path_cases
import sa
from cases import Add
from path_cases import OTHER_PREFIX, PREFIX, Values

MULTI = sa.GET_MULTI
# Rows (bit, width) and the components that make them count. IBA vol. 1, 15.2.5.20.
ROWS = {
    "raw": (0, 1, (0,)), "flow": (4, 20, (2,)), "hops": (24, 8, (3,)), "tclass": (32, 8, (4,)),
    "reversible": (40, 1, (5,)), "numb": (41, 7, (6,)), "pkey": (48, 16, (7,)),
    "qos": (64, 12, (8,)), "sl": (76, 4, (9,)), "mtu": (80, 8, (10, 11)),
    "rate": (88, 8, (12, 13)), "life": (96, 8, (14, 15)), "service": (104, 8, (16, 21)),
    "independence": (112, 2, (17,)), "sgids": (120, 8, (19,)), "dgids": (128, 8, (20,)),
    "service_low": (136, 56, ()),
}


def Pack(sources, destinations, mask=0, **fields):
    """(component mask, octets) of a question; `mask` takes components away from it."""
    fields.setdefault("sgids", len(sources))
    fields.setdefault("dgids", len(destinations))
    number, has = 0, 0
    for name, value in fields.items():
        bit, width, components = ROWS[name]
        number |= value << (192 - bit - width)
        has |= sum(1 << component for component in components)
    gids = b"".join(gid.to_bytes(16, "big") for gid in (*sources, *destinations))
    return has & ~mask, number.to_bytes(24, "big") + gids


def Told(question):
    """For people."""
    number = int.from_bytes(question[:24], "big")
    rows = {name: number >> (192 - bit - width) & ((1 << width) - 1)
            for name, (bit, width, _) in ROWS.items()}
    gids = [question[at + 8:at + 16].hex() for at in range(24, len(question), 16)]
    return ", ".join(["%s %#x" % row for row in rows.items() if row[1]] + gids)


def Sets(gids):
    """Pairs of sets of ends: small ones, the same end on both sides, one twice."""
    for i, j in itertools.product(range(len(gids)), repeat=2):
        yield [gids[i]], [gids[j]]
    for i in range(len(gids)):
        some = [gids[(i + j) % len(gids)] for j in range(7)]
        yield some[:1], some[1:4]
        yield some[1:4], some[:1]
        yield some[:3], some[3:6]
        yield some[:3], some[1:4]
        yield [some[0], some[0]], [some[1]]


def Questions(ends):
    """(name, method, mask and octets); `ends`: (PortGUID, base LID) by LID."""
    gids = [PREFIX << 64 | guid for guid, _ in ends]
    for sources, destinations in Sets(gids):
        yield "paths", MULTI, Pack(sources, destinations)
    for numb in (0, 1, 2, 3, 5, 20, 127):
        for sources, destinations in ((gids[:1], gids[1:2]), (gids[:2], gids[2:5]),
                                      (gids[:3], gids[3:4])):
            yield "numb", MULTI, Pack(sources, destinations, numb=numb)
    for four in itertools.islice(itertools.permutations(gids, 4), 0, None, 97):
        yield "to migrate", MULTI, Pack(four[:2], four[2:], numb=2)
        yield "two by two", MULTI, Pack(four[:2], four[2:], numb=3)
    some, others = gids[1:3], gids[-2:]
    yield "ignored", MULTI, Pack(some, others, flow=5, hops=6, tclass=7, qos=8, independence=1)
    for name, value in Values():
        yield name, MULTI, Pack(gids[2:3], gids[-1:], **{name: value})
        yield name + ", two by two", MULTI, Pack(some, others, **{name: value})
    for p_key in (0, 1, 0x7FFF, 0x8001, 0xFFFF):
        yield "P_Key", MULTI, Pack(some, others, pkey=p_key)
    for name in ("raw", "reversible"):
        for value in (0, 1):
            yield name, MULTI, Pack(some, others, **{name: value})
    for sl in (0, 7, 15):
        yield "SL", MULTI, Pack(some, others, sl=sl)
    for component in (10, 11, 12, 13, 14, 15, 16, 19, 20, 21):
        yield "without component %d" % component, MULTI, Pack(
            some, others, mask=1 << component, mtu=4, rate=3, life=18, service=1)
    yield "no source", MULTI, Pack([], others)
    yield "no destination", MULTI, Pack(some, [])
    for far in (PREFIX << 64 | 0xDEAD, OTHER_PREFIX << 64 | ends[0][0]):
        yield "no such GID", MULTI, Pack([far], others)
        yield "no such GID", MULTI, Pack(some, [others[0], far])


def RunBesideOpensm(context, lmc):
    """Goal: every question for paths between two sets of ports is answered as OpenSM answers it."""
    sa.RECORDS["MultiPathRecord"] = (0x3A, 64)  # For this case alone: others ask for all tables.
    path_cases.RunBesideOpensm(context, lmc, "MultiPathRecord", Questions, Told)


for _lmc in (0, 2):
    Add("paths.multi-beside-opensm-lmc%d" % _lmc,
        lambda context, lmc=_lmc: RunBesideOpensm(context, lmc), timeout_s=240, kinds=("embersm",))
