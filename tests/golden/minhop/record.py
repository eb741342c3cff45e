# SPDX-License-Identifier: Apache-2.0
# EmberSM: records what OpenSM's minhop makes of small fabrics on ibsim.
"""Writes <case>.net and <case>.txt beside this file: `record.py [case...]`.

A .txt file holds `option <name> <value>`, then `lids <port guid> <first> <last>` for every end port,
then `table <switch guid> <octets from LID 0 on>`, all numbers hexadecimal. Every case is recorded
from an empty cache directory, so nothing of the result stems from an earlier run.
"""
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "interop"))
import ibsim  # noqa: E402
import nets  # noqa: E402

PRELOAD = "/usr/lib/%s-linux-gnu/umad2sim/libumad2sim.so" % os.uname().machine

CASES = {  # name: (net, lmc, port_profile_switch_nodes)
    "ft2": (lambda: nets.FatTree2(8), 0, False),
    "ft2-lmc2": (lambda: nets.FatTree2(8), 2, False),
    "ft3-shuffled": (lambda: nets.FatTree3(4).Shuffled(4), 0, False),
    "ft3-lmc1": (lambda: nets.FatTree3(4).Shuffled(5), 1, False),
    "torus": (lambda: nets.Grid((4, 4, 2), True, 2).Shuffled(1), 0, False),
    "torus-lmc3": (lambda: nets.Grid((3, 3), True, 1).Shuffled(2), 3, False),
    "dragonfly-lmc2": (lambda: nets.Dragonfly(4, 1, 2), 2, False),
    "random": (lambda: nets.Random(24, 60, 48, 2), 0, False),
    "random-switches-count": (lambda: nets.Random(24, 60, 48, 3), 0, True),
    "random-lmc1": (lambda: nets.Random(16, 48, 40, 4), 1, False),
    "random-lmc4": (lambda: nets.Random(8, 40, 16, 5), 4, False),
    "random-lmc2-switches-count": (lambda: nets.Random(12, 60, 24, 6), 2, True),
    "random-lmc3": (lambda: nets.Random(8, 42, 20, 16), 3, False),
    "random-lmc5": (lambda: nets.Random(7, 41, 10, 15), 5, True),
    "random-lmc7": (lambda: nets.Random(5, 16, 6, 7), 7, False),
    "parallel": (lambda: nets.Parallel(4, 6), 0, False),
    "parallel-lmc2": (lambda: nets.Parallel(4, 6), 2, False),
    "two-port": (lambda: nets.TwoPort(8), 0, False),
    "two-port-lmc1": (lambda: nets.TwoPort(8), 1, False),
}


def RunOpenSm(net_path, directory, lmc, switches_count):
    simulator = ibsim.Simulator(net_path, directory)
    try:
        options = os.path.join(directory, "opensm.conf")
        with open(options, "w", encoding="utf-8") as file:
            file.write("port_profile_switch_nodes %s\n" % ("TRUE" if switches_count else "FALSE"))
        environment = simulator.Environment(simulator.hosts[0].name, PRELOAD,
                                            OSM_CACHE_DIR=directory, OSM_TMP_DIR=directory)
        subprocess.run(["opensm", "-o", "-e", "-f", os.path.join(directory, "osm.log"), "-D", "0x47",
                        "-F", options, "-R", "minhop", "-l", str(lmc)], cwd=directory, check=True,
                       env=environment, stdout=subprocess.DEVNULL, timeout=120)
    finally:
        simulator.Close()


def Read(directory, name):
    with open(os.path.join(directory, name), encoding="utf-8") as file:
        return file.read()


def Record(case):
    make_net, lmc, switches_count = CASES[case]
    net_path = os.path.join(HERE, case + ".net")
    with open(net_path, "w", encoding="utf-8") as file:
        file.write(make_net().Text())
    with tempfile.TemporaryDirectory() as directory:
        RunOpenSm(net_path, directory, lmc, switches_count)
        lids = re.findall(r"0x(\w+) 0x(\w+) 0x(\w+)", Read(directory, "guid2lid"))
        dump = Read(directory, "opensm-lfts.dump")
    top = max(int(last, 16) for _, _, last in lids)
    lines = ["option lmc %x" % lmc, "option port_profile_switch_nodes %x" % switches_count]
    lines += ["lids %s %s %s" % row for row in sorted(lids)]
    for guid, body in re.findall(r"of switch Lid \d+ guid 0x(\w+)[^\n]*\n(.*?)(?=Unicast|\Z)", dump,
                                 re.S):
        row = bytearray(b"\xff" * (top + 1))
        for lid, port in re.findall(r"^0x(\w+) (\d+) ", body, re.M):
            row[int(lid, 16)] = int(port)
        lines.append("table %s %s" % (guid, row.hex()))
    with open(os.path.join(HERE, case + ".txt"), "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    print("%s: %d ports, %d tables" % (case, len(lids), len(lines) - 2 - len(lids)))


for chosen in sys.argv[1:] or CASES:
    Record(chosen)
