#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# EmberSM: records the P_Keys that OpenSM gives to ports for a partition file.
"""Usage: record.py [case...]

Writes <case>.txt beside this file: what OpenSM makes of a partition file on ibsim, on one switch
with six hosts, of which the first has the subnet manager. Lines are of these kinds:

    option <name> <value>     of opensm.conf
    file <line of text>       of the partition file, in order
    port <guid> <P_Key>...    by index; 0000 is an empty entry; numbers hexadecimal

In a file below, {n} is the PortGUID of host n and {s} that of the switch.
"""
import os
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "interop"))
import ibsim  # noqa: E402
import nets  # noqa: E402

PRELOAD = "/usr/lib/%s-linux-gnu/umad2sim/libumad2sim.so" % os.uname().machine
P_KEY_TABLE, BLOCKS = 0x16, 2

CASES = {
    "manual": ({}, """Default=0x7fff,ipoib:
 mgid=ff12:401b::0707,sl=1 # an IPv4 group
 mgid=ff12:601b::16
 mgid=ff12::1,sl=1,Q_Key=0xDEADBEEF,rate=3,mtu=2 # another
 ALL=full;
ShareIO = 0x80 , defmember=full : {1}, {2};
ShareIO = 0x80 : {3}, {4}=full, {5};
YetAnotherOne = 0x300 : ALL=limited ;
YetAnotherOne = 0x300 : SELF=full ;
"""),
    "order": ({}, """A=2: {1}=full, ALL=limited; B=3: ALL=limited, {1}=full; C=4: {1}=full, ALL_CAS;
D=5: SELF=full,ALL; E=6: ALL=full, {1}; F=7: ALL=full, ALL_CAS, {2}=full, ALL_SWITCHES=limited;
"""),
    "classes": ({}, """A=2: SE; B=3: NON; C=4: ALL_CAS=f, {2}=l; D=5: ALL_SWITCHES=full, ALL_CAS;
E=6: ALL_ROUTERS; F=7: ;G=8:{2},{s}=full; H=9:A=full; I=10: ALL_SW=b,,{4};
"""),
    "generated": ({}, """A: {1}; C: {1};
=5: {1}; 6: {1}; : {2}; D: {1}; D: {2}; 0x9007: {1}; ,defmember=full: {1}; 010: {3}
"""),
    "words": ({}, """A=2: {1}=b, {2}=f, {3}=lim, {0}=both;B=3,def=f:{1},{2}=l;Def: {4}=full;
C=4 , d = full : {1} , {2}\t=\tfull,
{3}
,{4};
"""),
    "both": ({"allow_both_pkeys": "TRUE"}, """B=3: {1}=both; F=7: ALL=limited, {1}=full;
H=9: ALL=both, {1}=limited; I=10,defmember=both: {2}, {1}=full; Default=0x7fff: {3}=both;
"""),
    "index": ({}, "A=2,indx0: {1};A=2:{2};B=3:{1};B=3,indx0: {2};C=4,indx0: ALL_SWITCHES, {3};\n"),
}


def Record(name):
    options, text = CASES[name]
    with tempfile.TemporaryDirectory() as work:
        net = os.path.join(work, "fabric.net")
        with open(net, "w", encoding="utf-8") as file:
            file.write(nets.Single(6).Text())
        simulator = ibsim.Simulator(net, work)
        try:
            nodes = simulator.nodes
            guids = {str(i): "0x%x" % nodes["H-%d" % i].PortGuid(1) for i in range(6)}
            text = text.format(*[guids[str(i)] for i in range(6)], s="0x%x" % nodes["S-only"].guid)
            partitions = os.path.join(work, "partitions.conf")
            with open(partitions, "w", encoding="utf-8") as file:
                file.write(text)
            configuration = os.path.join(work, "opensm.conf")
            with open(configuration, "w", encoding="utf-8") as file:
                file.write("partition_config_file %s\n" % partitions)
                file.writelines("%s %s\n" % option for option in options.items())
            subprocess.run(["opensm", "-o", "-F", configuration, "-f", os.path.join(work, "log")],
                           env=simulator.Environment("H-0", PRELOAD, OSM_CACHE_DIR=work,
                                                     OSM_TMP_DIR=work),
                           cwd=work, check=True, capture_output=True, timeout=60)
            simulator.ForgetTheDead()
            with open(os.path.join(HERE, name + ".txt"), "w", encoding="utf-8") as file:
                file.writelines("option %s %s\n" % option for option in options.items())
                file.writelines("file %s\n" % line for line in text.splitlines())
                file.writelines(Ports(simulator))
        finally:
            simulator.Close()


def Ports(simulator):
    witness = "H-5"
    with ibsim.Client(simulator, witness) as client:
        for name, route in simulator.Routes(witness).items():
            node, keys = simulator.nodes[name], []
            for block in range(1 if node.is_switch else BLOCKS):
                status, table = client.Ask(route, P_KEY_TABLE, block)
                keys += struct.unpack(">32H", table) if status == 0 else ()
            while keys and keys[-1] == 0:
                keys.pop()
            port = node.PortGuid(0 if node.is_switch else 1)
            yield "port %x %s\n" % (port, " ".join("%04x" % key for key in keys))


if __name__ == "__main__":
    for case in sys.argv[1:] or CASES:
        Record(case)
