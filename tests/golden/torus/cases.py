# SPDX-License-Identifier: Apache-2.0
# EmberSM: what to record of OpenSM's torus-2QoS. See ../record.py.
import itertools

import nets
from record import Case

ENGINE = "torus-2QoS"
AXES = "xyz"


def Name(place):
    return ".".join(map(str, place))


def Torus(sizes, hosts=1, links=(1, 1, 1), open_axes="", without=(), broken=()):
    """Switches at the places of a torus but for `without`, with `links` parallel links along each
    axis; axes of `open_axes` and those of two are not closed. `broken`: a place and an axis, whose
    links away from 0 are missing."""
    net = nets.Net()
    places = [place for place in itertools.product(*map(range, sizes)) if place not in without]
    switches = {place: net.Switch(Name(place), 2 * sum(links) + hosts + 1) for place in places}
    for place in places:
        for i in range(hosts):
            net.Host("%s-%d" % (Name(place), i), switches[place])
    for place in places:
        for axis, size in enumerate(sizes):
            step = place[:axis] + ((place[axis] + 1) % size,) + place[axis + 1:]
            is_open = AXES[axis] in open_axes or size == 2
            if size == 1 or step in without or (place, AXES[axis]) in broken:
                continue
            if place[axis] + 1 < size or not is_open:
                for _ in range(links[axis]):
                    net.Cable(switches[place], switches[step])
    return net


def Seed(nodes, sizes, at=(0, 0, 0), both=False, minus=False, datelines=()):
    """Lines of a seed whose switch stands `at`, where the datelines have moved by `datelines`."""
    def Guid(place):
        return "0x%016x" % nodes["S-" + Name(place)].guid
    lines = []
    for axis, size in enumerate(sizes):
        for word, step in (("p", 1), ("m", -1)):
            if size == 1 or not (both or size == 4 or (word == "m") == minus):
                continue
            to = at[:axis] + ((at[axis] + step) % size,) + at[axis + 1:]
            lines.append("%s%s_link %s %s" % (AXES[axis], word, Guid(at), Guid(to)))
    lines += ["%s_dateline %d" % row for row in zip(AXES, datelines) if row[1] != 0]
    return lines


def Config(shape, sizes, *more, **seed):
    """Makes the text of torus_config with one seed and more lines."""
    return lambda nodes: "\n".join([shape, *Seed(nodes, sizes, **seed), *more]) + "\n"


def TwoSeeds(shape, sizes, first, second):
    """The same with two seeds; the second moves the datelines to where the first has them."""
    def Make(nodes):
        gone = {"S-" + Name(first["at"])} - set(nodes)
        known = dict(nodes)
        for name in gone:  # A switch that has failed: a GUID that no node has.
            known[name] = type("Gone", (), {"guid": 0xDEAD})()
        return "\n".join([shape, *Seed(known, sizes, **first), "next_seed",
                          *Seed(nodes, sizes, **second)]) + "\n"
    return Make


def TorusCase(sizes, config, keep=(), **net):
    return Case(lambda: Torus(sizes, **net), qos=True, torus_config=config, keep=keep)


CASES = {
    "torus-3x3x3": TorusCase((3, 3, 3), Config("torus 3 3 3", (3, 3, 3))),
    "torus-5x4x3": TorusCase((5, 4, 3), Config("torus 5 4 3", (5, 4, 3)), hosts=2),
    "torus-4x4x4": TorusCase((4, 4, 4), Config("torus 4 4 4", (4, 4, 4))),
    "torus-6x5": TorusCase((6, 5, 1), Config("torus 6 5 1", (6, 5, 1)), hosts=2,
                           keep=["opensm-sl2vl.dump"]),
    "torus-flat-x": TorusCase((1, 5, 4), Config("torus 1 5 4", (1, 5, 4))),
    "torus-flat-y": TorusCase((5, 1, 3), Config("torus 5 1 3", (5, 1, 3))),
    "mesh-4x3x3": TorusCase((4, 3, 3), Config("mesh 4 3 3", (4, 3, 3)), open_axes="xyz"),
    "half-open": TorusCase((4, 5, 3), Config("torus 4m 5 3", (4, 5, 3)), open_axes="x"),
    "mesh-of-rings": TorusCase((3, 5, 4), Config("mesh 3t 5 4", (3, 5, 4)), open_axes="yz"),
    "double-x": TorusCase((2, 3, 5), Config("torus 2 3 5", (2, 3, 5)), links=(2, 1, 1)),
    "dateline": TorusCase((5, 4, 3), Config("torus 5 4 3", (5, 4, 3), at=(2, 1, 2),
                                            datelines=(-2, -1, 1))),
    "seed-inside": TorusCase((5, 5, 5), Config("torus 5 5 5", (5, 5, 5), at=(3, 2, 4), minus=True)),
    "parallel": TorusCase((4, 3, 3), Config("torus 4 3 3", (4, 3, 3)), hosts=3, links=(2, 3, 1)),
    "parallel-inside": TorusCase((5, 4, 3), Config("torus 5 4 3", (5, 4, 3), at=(1, 2, 1),
                                                   both=True), hosts=2, links=(3, 2, 2)),
    "parallel-flat": TorusCase((5, 6, 1), Config("torus 5 6 1", (5, 6, 1)), hosts=3,
                               links=(2, 3, 1)),
    "port-order": TorusCase((3, 3, 3), Config("torus 3 3 3", (3, 3, 3), "port_order 3 1 0"),
                            hosts=4, links=(2, 2, 2)),
    "group-ports": TorusCase((3, 3, 3), Config("torus 3 3 3", (3, 3, 3), "portgroup_max_ports 2"),
                             links=(3, 2, 1)),
    "group-ports-too-few": TorusCase((3, 3, 1), Config("torus 3 3 1", (3, 3, 1),
                                                       "portgroup_max_ports 2"), hosts=2),
    "lmc2": Case(lambda: Torus((4, 3, 3), links=(2, 1, 1)), qos=True, lmc=2,
                 torus_config=Config("torus 4 3 3", (4, 3, 3))),
    "broken-links": TorusCase((5, 4, 3), Config("torus 5 4 3", (5, 4, 3)), hosts=2,
                              broken=(((2, 1, 0), "x"), ((0, 3, 1), "y"), ((4, 2, 2), "z"),
                                      ((4, 0, 0), "x"))),
    "broken-parallel": TorusCase((5, 4, 3), Config("torus 5 4 3", (5, 4, 3)), hosts=2,
                                 links=(2, 2, 3),
                                 broken=(((1, 1, 0), "x"), ((0, 2, 1), "y"), ((4, 0, 2), "z"))),
    "broken-twice": TorusCase((5, 4, 3), Config("torus 5 4 3", (5, 4, 3)),
                              broken=(((1, 1, 1), "x"), ((3, 1, 1), "x"))),
    "broken-mesh": TorusCase((5, 4, 3), Config("mesh 5 4 3", (5, 4, 3)), open_axes="xyz",
                             broken=(((1, 1, 1), "x"),)),
    "one-switch": TorusCase((5, 4, 3), Config("torus 5 4 3", (5, 4, 3)), hosts=2,
                            without=((2, 2, 1),)),
    "one-switch-flat": TorusCase((6, 5, 1), Config("torus 6 5 1", (6, 5, 1)), hosts=2,
                                 without=((3, 2, 0),), keep=["opensm-sl2vl.dump"]),
    "one-switch-parallel": TorusCase((5, 4, 3), Config("torus 5 4 3", (5, 4, 3)), hosts=3,
                                     links=(2, 2, 2), without=((3, 1, 2),)),
    "column-part": TorusCase((4, 3, 5), Config("torus 4 3 5", (4, 3, 5)),
                             without=((2, 1, 2), (2, 1, 3))),
    "column": TorusCase((4, 3, 5), Config("torus 4 3 5", (4, 3, 5)),
                        without=tuple((2, 1, z) for z in range(5))),
    "holes-apart": TorusCase((4, 3, 5), Config("torus 4 3 5", (4, 3, 5)),
                             without=((2, 1, 1), (2, 1, 3))),
    "two-columns": TorusCase((4, 3, 5), Config("torus 4 3 5", (4, 3, 5)),
                             without=((2, 1, 2), (3, 1, 2))),
    "second-seed": TorusCase((5, 4, 3), TwoSeeds("torus 5 4 3", (5, 4, 3), {"at": (0, 0, 0)},
                                                 {"at": (2, 1, 1), "datelines": (-2, -1, -1)}),
                             without=((0, 0, 0),)),
    "other-radix": TorusCase((5, 4, 3), Config("torus 5 4 5", (5, 4, 3))),
    "no-seed": TorusCase((5, 4, 3), lambda nodes: "torus 5 4 3\nxp_link 1 2\nyp_link 1 3\n"
                                                  "ym_link 1 4\nzp_link 1 5\n"),
}
