# SPDX-License-Identifier: Apache-2.0
# EmberSM: records how OpenSM's engines route small fabrics on ibsim.
"""Usage: record.py FOLDER [case...]; FOLDER is one beside this file, named after an engine.

FOLDER/cases.py says what to record. It has `ENGINE`, the word for opensm's -R, and `CASES`, a
dictionary of name: Case(make_net, keep=[], **options). `make_net()` returns a Net of
tests/interop/nets.py. An option is one of opensm.conf; a value that is a function makes the text of
the file that the option shall name from {node name: ibsim.Node}, whose `guid` and PortGuid(port)
are those that the simulator gave. `keep` lists dump files of OpenSM to be kept. For example

    "ft2-roots": Case(lambda: nets.FatTree2(8), lmc=2, keep=["opensm-updn-roots.dump"],
                      root_guid_file=lambda nodes: "0x%016x\\n" % nodes["S-spine0"].guid)

It writes FOLDER/<case>.net and .txt. A .txt has lines of these kinds, numbers hexadecimal:

    option <name> <value>          true is 1
    file <option> <line of text>   in order; only `file <option>`: the file is empty
    routed_by <engine>             who made the tables: another one, when the engine refused
    lids <port guid> <first> <last>
    table <switch guid> <octets from LID 0 on>
    layers <pairs of each lane>    of lash, before it draws pairs to move
    levels <slid> <digits from LID 0 on>    service levels of PathRecords, - where there is none;
                                   only of engines whose ENGINE_HAS_LEVELS is True
    dump <file> <line of text>     only what `keep` asks for

tests/support/routing_golden.h reads that. Every case is recorded from an empty cache directory, so
nothing of the result stems from an earlier run.
"""
import importlib.util
import os
import re
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "interop"))
sys.path.insert(0, HERE)
import context  # noqa: E402
import ibsim  # noqa: E402
import path_cases  # noqa: E402
import sa  # noqa: E402

PRELOAD = "/usr/lib/%s-linux-gnu/umad2sim/libumad2sim.so" % os.uname().machine


class Case:
    """A fabric and the options with which it is routed."""

    def __init__(self, make_net, keep=(), **options):
        self.make_net, self.keep = make_net, keep
        self.options = {"lmc": 0, **options}

    def Plain(self):
        """The options that are numbers, as numbers."""
        return {name: int(value) for name, value in self.options.items() if not callable(value)}

    def Files(self, nodes):
        return {name: make(nodes) for name, make in self.options.items() if callable(make)}


def WriteOptions(case, files, directory):
    """opensm.conf and what it names. Returns its path."""
    path = os.path.join(directory, "opensm.conf")
    with open(path, "w", encoding="utf-8") as conf:
        conf.write("force_log_flush TRUE\n")  # Without it the log lags by 10 s and more.
        for name, value in case.options.items():
            if name in files:
                value = os.path.join(directory, name + ".txt")
                with open(value, "w", encoding="utf-8") as file:
                    file.write(files[name])
            elif isinstance(value, bool):
                value = "TRUE" if value else "FALSE"
            conf.write("%s %s\n" % (name, value))
    return path


def AwaitUp(directory):
    deadline = time.monotonic() + 120
    log = os.path.join(directory, "osm.log")
    while not os.path.exists(log) or "SUBNET UP" not in Read(directory, "osm.log"):
        if time.monotonic() > deadline:
            raise RuntimeError("opensm does not come up")
        time.sleep(0.1)


def AskLevels(simulator):
    """{slid: {dlid: service level}} of all PathRecords."""
    levels = {}
    with sa.Client(simulator, simulator.hosts[-1].name) as client:
        server = ibsim.PortField(client.Ask((), ibsim.PORT_INFO)[1], "master_sm_lid")
        mask, question = path_cases.Pack(numb=1)
        for record in client.Records(server, "PathRecord", mask=mask, data=question):
            number = int.from_bytes(record, "big")
            slid, dlid, sl = (number >> shift & most
                              for shift, most in ((160, 0xFFFF), (176, 0xFFFF), (80, 0xF)))
            levels.setdefault(slid, {})[dlid] = sl
    return levels


def RunOpenSm(engine, case, net_path, directory, asks_levels=False):
    """Routes once; the dumps are in `directory` then. Returns the texts of the option files, and
    what AskLevels() does."""
    simulator = ibsim.Simulator(net_path, directory)
    try:
        files = case.Files(simulator.nodes)
        preload = PRELOAD
        if asks_levels:  # The preload of ibsim hands no question on to a subnet administrator.
            tools = context.Tools("", directory)
            tools.Prepare()
            preload = tools.preload
        environment = simulator.Environment(simulator.hosts[0].name, preload,
                                            OSM_CACHE_DIR=directory, OSM_TMP_DIR=directory)
        command = ["opensm", "-e", "-f", os.path.join(directory, "osm.log"), "-D", "0x47",
                   "-F", WriteOptions(case, files, directory), "-R", engine]
        how = {"cwd": directory, "env": environment, "stdout": subprocess.DEVNULL}
        if not asks_levels:
            subprocess.run([*command, "-o"], check=True, timeout=120, **how)
            return files, {}
        with subprocess.Popen(command, **how) as manager:
            try:
                AwaitUp(directory)
                return files, AskLevels(simulator)
            finally:
                manager.kill()
    finally:
        simulator.Close()


def Digits(levels):
    """Service levels by DLID, from 0 on."""
    return "".join("%x" % levels[lid] if lid in levels else "-" for lid in range(max(levels) + 1))


def Read(directory, name):
    with open(os.path.join(directory, name), encoding="utf-8", errors="replace") as file:
        return file.read()


def Tables(dump, top):
    """{switch guid: octets from LID 0 on} of opensm-lfts.dump."""
    tables = {}
    for guid, body in re.findall(r"of switch Lid \d+ guid 0x(\w+)[^\n]*\n(.*?)(?=Unicast|\Z)", dump,
                                 re.S):
        row = bytearray(b"\xff" * (top + 1))
        for lid, port in re.findall(r"^0x(\w+) (\d+) ", body, re.M):
            row[int(lid, 16)] = int(port)
        tables[guid] = row.hex()
    return tables


def Texts(word, name, text):
    """Lines that keep a text."""
    return [("%s %s %s" % (word, name, line)).rstrip() for line in text.splitlines() or [""]]


def Record(folder, engine, name, case, has_levels):
    net_path = os.path.join(folder, name + ".net")
    with open(net_path, "w", encoding="utf-8") as file:
        file.write(case.make_net().Text())
    with tempfile.TemporaryDirectory() as directory:
        files, levels = RunOpenSm(engine, case, net_path, directory, has_levels)
        routed_by = re.findall(r"(\S+) tables configured on all switches",
                               Read(directory, "osm.log"))
        lids = re.findall(r"0x(\w+) 0x(\w+) 0x(\w+)", Read(directory, "guid2lid"))
        layers = re.findall(r"Lanes in layer (\d+): (\d+)", Read(directory, "osm.log"))
        tables = Tables(Read(directory, "opensm-lfts.dump"), max(int(row[2], 16) for row in lids))
        dumps = {kept: Read(directory, kept) for kept in case.keep}
    lines = ["option %s %x" % row for row in case.Plain().items()]
    for option, text in files.items():
        lines += Texts("file", option, text)
    lines += ["routed_by %s" % (routed_by or ["nobody"])[-1]]
    lines += ["lids %s %s %s" % row for row in sorted(lids)]
    lines += ["table %s %s" % row for row in tables.items()]
    if layers:  # Half of them are of the time behind.
        lines += ["layers " + " ".join("%x" % int(pairs) for _, pairs in layers[:len(layers) // 2])]
    lines += ["levels %x %s" % (slid, Digits(row)) for slid, row in sorted(levels.items())]
    for kept, text in dumps.items():
        lines += Texts("dump", kept, text)
    with open(os.path.join(folder, name + ".txt"), "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    print("%s: %d ports, %d tables by %s" % (name, len(lids), len(tables), routed_by))


def Main(folder, chosen):
    folder = os.path.join(HERE, folder)
    sys.modules["record"] = sys.modules["__main__"]  # cases.py imports Case from here.
    spec = importlib.util.spec_from_file_location("cases", os.path.join(folder, "cases.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for name in chosen or module.CASES:
        Record(folder, module.ENGINE, name, module.CASES[name],
               getattr(module, "ENGINE_HAS_LEVELS", False))


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    Main(sys.argv[1], sys.argv[2:])
