#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# EmberSM: what no neighbour disturbs: counts of instructions, by callgrind.
"""Usage: instructions.py [--bin DIR] [--net NAME] [--pods N] [--k N] [--work DIR] [WORD...]

step      the longest step of a bring-up on the board switch_medium (step_bench in --bin), filled
          with 648 switches; --pods 1 takes 360, of which most have no cable
bring-up  all instructions of embersm behind the mailbox of a switch, from its start to SUBNET UP
          and its end, and those of OpenSM (-R minhop), each on a fresh ibsim of the net

partitions
          those of the subnet manager in a bring-up without partitions, in one with 64 of them and
          32 a host, and in a change of one membership (port_tables_bench), on a fat tree of --k
paths     those of a Get(PathRecord) under a QoS policy without rules, and with 100 (path_bench)

Without a word step and bring-up. A program runs 30 to 60 times slower under callgrind.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "tests", "interop"))
import checks  # noqa: E402
import context  # noqa: E402

LIMIT_S = 3600
STEP = "ember::SubnetManager::Step()"


def Callgrind(log, *options):
    """The command that counts; what it has to say goes to `log`, the profile beside it."""
    return ["valgrind", "--tool=callgrind", "--trace-children=yes", "--log-file=" + log,
            "--callgrind-out-file=%s.profile" % log, *options]


def Sums(log, mark):
    """(instructions, word): by how much callgrind's sum grew until the program told the word."""
    begun, sum_now = 0, 0
    with open(log, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            if line.startswith("events-1: "):
                sum_now = int(line.split()[1])
            found = re.search(mark, line)
            if found:
                yield sum_now - begun, found[1]
                begun = sum_now


def MeasureSteps(arguments, work):
    for order, name in ((0, "opensm"), (1, "balanced")):
        log = os.path.join(work, "steps-" + name)
        chosen = "BringUp/pods:%d/balanced:%d/.*" % (arguments.pods, order)
        done = subprocess.run(
            [*Callgrind(log, "--toggle-collect=" + STEP), os.path.join(arguments.bin, "step_bench"),
             "--benchmark_filter=" + chosen, "--benchmark_format=csv"],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=True,
            timeout=LIMIT_S)
        longest, steps, total = {}, 0, 0
        for count, stage in Sums(log, r"step in stage (\S+)"):
            steps, total = steps + 1, total + count
            longest[stage] = max(longest.get(stage, 0), count)
        checks.Expect(steps > 0, "step_bench told of no step: %s", done.stdout[-300:])
        print("order %s: %d steps, %d instructions, longest step %d" % (
            name, steps, total, max(longest.values())))
        for stage, count in sorted(longest.items(), key=lambda item: -item[1]):
            print("  %-12s %12d" % (stage, count), flush=True)


def MeasurePartitions(arguments, work):
    log = os.path.join(work, "partitions")
    done = subprocess.run(
        [*Callgrind(log, "--toggle-collect=" + STEP),
         os.path.join(arguments.bin, "port_tables_bench"),
         "--benchmark_filter=Partitions64/k:%d/" % arguments.k, "--benchmark_format=csv"],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=True, timeout=LIMIT_S)
    counts = {what: count for count, what in Sums(log, r"end of figure (\S+)")}
    checks.Expect(len(counts) == 3, "port_tables_bench told of no figures: %s", done.stdout[-300:])
    for what, count in counts.items():
        print("k=%d: %-28s %15d instructions" % (arguments.k, what, count))
    print("k=%d: with partitions / without %.3f" % (
        arguments.k, counts["bring-up-with-partitions"] / counts["bring-up"]), flush=True)


def MeasurePaths(arguments, work):
    """A benchmark of no time is one turn of 4,096 questions."""
    each = {}
    for name in ("GetPathWithoutPolicy", "GetPathUnderHundredRules"):
        log = os.path.join(work, name)
        subprocess.run(
            [*Callgrind(log, "--toggle-collect=*AskAll*"), os.path.join(arguments.bin, "path_bench"),
             "--benchmark_filter=%s/16$" % name, "--benchmark_min_time=0.000001"],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=True, timeout=LIMIT_S)
        each[name] = Collected(log) / 4096
        print("%-26s %8.1f instructions a question" % (name, each[name]))
    without, under = each.values()
    print("paths a second under 100 rules / without: %.3f" % (without / under), flush=True)


def Collected(log):
    with open(log, encoding="utf-8", errors="replace") as file:
        found = re.findall(r"Collected : (\d+)", file.read())
    checks.Expect(len(found) == 1, "callgrind's count is not in %s", log)
    return int(found[0])


def MeasureBringUp(bench, kind, net):
    """Until SUBNET UP, and the end that follows at once. The instructions of the one process."""
    simulator = bench.Simulate(net)
    log = os.path.join(bench.directory, "callgrind-" + kind)
    told = {"mailbox": [], "flags": ["--once"]} if kind == "embersm" else {}
    node = (simulator.switches if kind == "embersm" else simulator.hosts)[0].name
    manager = bench.Manage(node, name=kind, kind=kind, once=True, under=Callgrind(log), **told)
    status = manager.process.wait(LIMIT_S)
    checks.Expect(status == 0, "%s ended with status %s; see %s", kind, status, manager.directory)
    checks.Expect("SUBNET UP" in manager.Log(), "%s: no SUBNET UP", kind)
    named = manager.traffic().Named()
    manager.Kill()
    return Collected(log), sum(named.values())


def MeasureBringUps(arguments, work):
    tools = context.Tools(os.path.dirname(arguments.bin), work)
    tools.Prepare()
    bench = context.Context(work, tools, "embersm")
    counts = {}
    try:
        for kind in ("embersm", "opensm"):
            counts[kind], smps = MeasureBringUp(bench, kind, arguments.net)
            print("%-8s %15d instructions, %8d SMPs" % (kind, counts[kind], smps), flush=True)
    finally:
        bench.Close()
    print("%s: EmberSM / OpenSM %.4f" % (arguments.net, counts["embersm"] / counts["opensm"]))


def Main():
    parser = argparse.ArgumentParser(description="Counts of instructions, by callgrind.")
    parser.add_argument("what", nargs="*", choices=("step", "bring-up", "partitions", "paths", []),
                        metavar="WORD")
    parser.add_argument("--bin", default=os.path.join(ROOT, "build", "release", "bin"))
    parser.add_argument("--net", default="ft3-k16")
    parser.add_argument("--pods", type=int, default=9, choices=(1, 9))
    parser.add_argument("--k", type=int, default=16, choices=(8, 16, 36))
    parser.add_argument("--work", default=os.path.join(ROOT, "build", "instructions"))
    arguments = parser.parse_args()
    arguments.bin = os.path.abspath(arguments.bin)
    work = os.path.abspath(arguments.work)
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    if not arguments.what or "step" in arguments.what:
        MeasureSteps(arguments, work)
    if not arguments.what or "bring-up" in arguments.what:
        MeasureBringUps(arguments, work)
    if "partitions" in arguments.what:
        MeasurePartitions(arguments, work)
    if "paths" in arguments.what:
        MeasurePaths(arguments, work)
    return 0


if __name__ == "__main__":
    sys.exit(Main())
