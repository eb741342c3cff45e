#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# EmberSM: records of OpenSM's subnet administration: octets, and what saquery says they mean.
"""Usage: records.py [--golden DIR]

Starts ibsim on the small net of record.py and OpenSM with its unusual options, asks for one record
of each kind with a raw datagram and with saquery, and writes tests/golden/records/*.hex. So the
tests of core/wire compare our offsets with somebody else's reading of somebody else's octets.
"""
import argparse
import os
import re
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
sys.path[:0] = [os.path.dirname(HERE), HERE]
import context  # noqa: E402
import record  # noqa: E402
import sa  # noqa: E402

SA_KEY = 1  # OpenSM's default.
# file: (record, what saquery is asked, component mask, record asked for)
RECORDS = {
    "node_record": ("NodeRecord", "NR {host}", 1, ">H", "host"),
    "port_info_record": ("PortInfoRecord", "PIR {switch}/7", 3, ">HB", "switch", 7),
    "port_info_record_ca": ("PortInfoRecord", "PIR {host}/1", 3, ">HB", "host", 1),
    "switch_info_record": ("SwitchInfoRecord", "SWIR {switch}", 1, ">H", "switch"),
    "linear_forwarding_table_record":
        ("LinearForwardingTableRecord", "LFTR {switch}/0", 3, ">HH", "switch", 0),
    "sm_info_record": ("SMInfoRecord", "SMIR {host}", 1, ">H", "host"),
    "link_record": ("LinkRecord", "LR {switch}/2", 3, ">HB", "switch", 2),
    "guid_info_record": ("GUIDInfoRecord", "GIR {host}/0", 3, ">HB", "host", 0),
    "sl_to_vl_mapping_table_record":
        ("SLtoVLMappingTableRecord", "SL2VL {switch}/2/1", 7, ">HBB", "switch", 2, 1),
    "vl_arbitration_table_record":
        ("VLArbitrationTableRecord", "VLAR {switch}/7/3", 7, ">HBB", "switch", 7, 3),
    "p_key_table_record": ("P_KeyTableRecord", "PKTR {host}/1/0", 3, ">HH", "host", 0),
}


class SmallNet:
    @staticmethod
    def Text():
        return record.NET


def Says(text):
    """`Label....value` lines, and the numbers of tables, in order, under one label."""
    says, table = [], []
    for line in text.splitlines():
        line = line.strip()
        label = re.match(r"([\w/ ]+?):?\.\.+(.*)$", line)
        if label:
            says.append("%s = %s" % (label[1], label[2]))
        elif re.match(r"(VL|Weight) *:", line):
            table += re.findall(r"\d+", line.split(":")[1])
        elif re.match(r"\d+\t\t*\d+$", line):
            table.append(line.split()[1])
        elif re.match(r"[ \d.-]*:* *0x", line):
            table += re.findall(r"0x[0-9a-fA-F]+", line)
    return says + (["table = %s" % " ".join(table)] if table else [])


def Main():
    parser = argparse.ArgumentParser(description="Records of OpenSM and what saquery says of them.")
    parser.add_argument("--golden", default=os.path.join(ROOT, "tests", "golden", "records"))
    arguments = parser.parse_args()
    os.makedirs(arguments.golden, exist_ok=True)
    work = tempfile.mkdtemp(prefix="ember-records-")
    tools = context.Tools(work, work)
    tools.Prepare()
    here = context.Context(os.path.join(work, "case"), tools, "opensm")
    try:
        simulator = here.Simulate(SmallNet)
        partitions = os.path.join(work, "partitions.conf")
        with open(partitions, "w", encoding="utf-8") as file:
            file.write(record.PARTITIONS)
        here.Manage("H-a", configuration=record.OPTIONS.replace("partitions.conf", partitions)
                    ).WaitUp()
        with sa.Client(simulator, "H-b") as client:
            host = struct.unpack_from(">H", client.Ask((), 0x15)[1], 18)[0]
            links = client.Records(host, "LinkRecord", mask=1, data=struct.pack(">H", host))
            places = {"host": host, "switch": struct.unpack_from(">H", links[0], 4)[0]}
            octets = {}
            for file, (name, _, mask, layout, place, *rest) in RECORDS.items():
                asked = struct.pack(layout, places[place], *rest)
                octets[file] = client.Records(host, name, mask=mask, data=asked, key=SA_KEY)[0]
        for file, (name, question, *_) in RECORDS.items():
            command = ["saquery", "-K", "--smkey", hex(SA_KEY), *question.format(**places).split()]
            done = subprocess.run(command, env=simulator.Environment("H-b", tools.preload),
                                  capture_output=True, text=True, timeout=30, check=True, cwd=work)
            with open(os.path.join(arguments.golden, file + ".hex"), "w", encoding="utf-8") as out:
                out.write("# %s: %s\nrecord %s\n" % (name, " ".join(command), octets[file].hex()))
                out.writelines("says %s\n" % line for line in Says(done.stdout))
    finally:
        here.Close()


if __name__ == "__main__":
    Main()
