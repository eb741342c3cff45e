#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# EmberSM: PathRecord questions to EmberSM and to OpenSM, over ibsim, in one run.
"""Usage: sa_beside_opensm.py [--net NAME] [--count N] [--window N] [--build DIR]

Each manager in turn sits at the first host of a fresh ibsim of the same net, and ask.c, at the second
host, asks it for paths between hosts. Printed for each: answers a second as the client saw them, the
times of single answers, and the processor time of the manager and of ibsim for one answer. The
simulator carries every datagram twice, so its share tells how far the first number is its own; the
processor time does not depend on what else the machine does.
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


def Measure(kind, arguments, tools, program):
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
        done = subprocess.run(
            [program, simulator.name, client_seat, str(lid), str(arguments.window),
             str(arguments.count)], input=" ".join(map(str, hosts)), capture_output=True, text=True,
            check=True, timeout=600)
        spent = [ProcessorSeconds(pid) - then for pid, then in zip(pids, before)]
        numbers = [float(word) for word in done.stdout.split()]
        checks.Expect(numbers[1] > 0, "%s answers nothing", kind)
        return numbers, spent
    finally:
        context.Close()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--net", default="ft3-k8")
    parser.add_argument("--count", type=int, default=200000)
    parser.add_argument("--window", type=int, default=64)
    parser.add_argument("--build", default=os.path.join(ROOT, "build", "release"))
    parser.add_argument("--work", default=os.path.join(ROOT, "build", "bench-sa"))
    arguments = parser.parse_args()
    tools = Tools(arguments.build, arguments.work)
    tools.Prepare()
    program = os.path.join(tools.work, "ask")
    subprocess.run(["cc", "-O2", "-Wall", "-Wextra", "-o", program, os.path.join(HERE, "ask.c")],
                   check=True)
    print("net %s, %d questions, %d under way, load %.1f" % (
        arguments.net, arguments.count, arguments.window, os.getloadavg()[0]))
    print("%-8s %10s %8s %6s %8s %8s %8s %12s %12s" % (
        "manager", "answers/s", "refused", "lost", "p50 us", "p99 us", "p99.9 us", "SM us/answer",
        "ibsim us"))
    for kind in ("opensm", "embersm"):
        numbers, spent = Measure(kind, arguments, tools, program)
        seconds, answered, refused, lost, median, p99, p999 = numbers[:7]
        print("%-8s %10.0f %8d %6d %8.0f %8.0f %8.0f %12.2f %12.2f" % (
            kind, answered / seconds, refused, lost, median, p99, p999, spent[0] / answered * 1e6,
            spent[1] / answered * 1e6))


if __name__ == "__main__":
    main()
