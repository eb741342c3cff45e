#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# EmberSM: PathRecord questions to EmberSM and to OpenSM, over ibsim, in one run.
"""Usage: sa_beside_opensm.py [--table] [--net NAME] [--count N] [--window N] [--build DIR]

Each manager in turn sits at the first host of a fresh ibsim of the same net, and ask.c, at the second
host, asks it for paths between hosts. Printed for each: answers a second as the client saw them, the
times of single answers, and the processor time of the manager and of ibsim for one answer. The
simulator carries every datagram twice, so its share tells how far the first number is its own; the
processor time does not depend on what else the machine does.

With `--table` the client (table.c) asks once for all paths that there are, and acknowledges after each
window of segments. Printed then: the records, the time until the first segment and until the last, and by how
much the manager's memory grew.
"""
import argparse
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "tests", "interop"))
import checks  # noqa: E402
import ibsim  # noqa: E402
import sa  # noqa: E402
from context import Context, Tools  # noqa: E402


def ProcessorSeconds(pid):
    with open("/proc/%d/stat" % pid, encoding="utf-8") as stat:
        fields = stat.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def ResidentKib(pid):
    with open("/proc/%d/status" % pid, encoding="utf-8") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM:"))


def Measure(kind, arguments, tools, program):
    """The client's numbers, the seconds that manager and simulator spent, and the manager's growth in KiB."""
    context = Context(os.path.join(tools.work, kind), tools, kind)
    try:
        simulator = context.Simulate(arguments.net)
        seat, client_seat = (host.name for host in simulator.hosts[:2])
        manager = context.Manage(seat)
        manager.WaitUp(300)
        with ibsim.Client(simulator, seat) as client:
            lid = ibsim.PortField(client.Ask((), ibsim.PORT_INFO)[1], "lid")
        with sa.Client(simulator, client_seat) as client:
            nodes = client.Records(lid, "NodeRecord")
        hosts = [int.from_bytes(node[:2], "big") for node in nodes if node[6] == 1]
        pids = (manager.process.pid, simulator.process.pid)
        before = [ProcessorSeconds(pid) for pid in pids]
        resident = ResidentKib(manager.process.pid)
        counts = [] if arguments.table else [str(arguments.count)]
        done = subprocess.run(
            [program, simulator.name, client_seat, str(lid), str(arguments.window)] + counts,
            input=" ".join(map(str, hosts)), stdout=subprocess.PIPE, text=True, check=True,
            timeout=3600)
        spent = [ProcessorSeconds(pid) - then for pid, then in zip(pids, before)]
        numbers = [float(word) for word in done.stdout.split()]
        checks.Expect(numbers[1] > 0, "%s answers nothing", kind)
        return numbers, spent, ResidentKib(manager.process.pid) - resident
    finally:
        context.Close()


def Questions(arguments, tools, program):
    print("net %s, %d questions, %d under way, load %.1f" % (
        arguments.net, arguments.count, arguments.window, os.getloadavg()[0]))
    print("%-8s %10s %8s %6s %8s %8s %8s %12s %12s" % (
        "manager", "answers/s", "refused", "lost", "p50 us", "p99 us", "p99.9 us", "SM us/answer",
        "ibsim us"))
    for kind in ("opensm", "embersm"):
        numbers, spent, _ = Measure(kind, arguments, tools, program)
        seconds, answered, refused, lost, median, p99, p999 = numbers[:7]
        print("%-8s %10.0f %8d %6d %8.0f %8.0f %8.0f %12.2f %12.2f" % (
            kind, answered / seconds, refused, lost, median, p99, p999, spent[0] / answered * 1e6,
            spent[1] / answered * 1e6))


def Table(arguments, tools, program):
    print("net %s, all paths, windows of %d segments, load %.1f" % (
        arguments.net, arguments.window, os.getloadavg()[0]))
    print("%-8s %10s %10s %10s %10s %10s %10s %10s" % (
        "manager", "records", "records/s", "first s", "last s", "SM cpu s", "ibsim s", "grew KiB"))
    for kind in ("embersm", "opensm"):
        numbers, spent, grown = Measure(kind, arguments, tools, program)
        seconds, records, _, _, first = numbers
        print("%-8s %10d %10.0f %10.2f %10.2f %10.2f %10.2f %10d" % (
            kind, records, records / seconds, first, seconds, spent[0], spent[1], grown), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--table", action="store_true", help="ask once, for all paths")
    parser.add_argument("--net", default="ft3-k8")
    parser.add_argument("--count", type=int, default=200000)
    parser.add_argument("--window", type=int, default=64)
    parser.add_argument("--build", default=os.path.join(ROOT, "build", "release"))
    parser.add_argument("--work", default=os.path.join(ROOT, "build", "bench-sa"))
    arguments = parser.parse_args()
    tools = Tools(arguments.build, arguments.work)
    tools.Prepare()
    name = "table" if arguments.table else "ask"
    program = os.path.join(tools.work, name)
    subprocess.run(["cc", "-O2", "-Wall", "-Wextra", "-o", program,
                    os.path.join(HERE, name + ".c")], check=True)
    (Table if arguments.table else Questions)(arguments, tools, program)


if __name__ == "__main__":
    main()
