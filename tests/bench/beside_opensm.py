#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# EmberSM: whole bring-ups over ibsim, EmberSM beside OpenSM, and the simulator alone as the floor.
"""Usage: beside_opensm.py [--bin DIR] [--net NAME] [--preload stock|simumad] [--json FILE] [--check]
       beside_opensm.py --engines minhop,updn,dnup,ftree [...]

One run, in this order, each on a fresh ibsim of the same net: OpenSM -R minhop, EmberSM, and a pump
(pump.c) that only sends as many SMPs of the same kinds along the same routes. It prints a table,
compares the ratios with their targets and writes everything as JSON. `--check` makes a missed
target an error. A ratio is "-" where OpenSM took less CPU time than the clock counts, as on a tiny
net; no target is missed by that. With --engines: each of these engines with OpenSM, then with
EmberSM under `order opensm` and `order balanced`, and no pump; those of several lanes with `qos TRUE`.
"""
import argparse
import datetime
import json
import os
import re
import shutil
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "tests", "interop"))
import checks  # noqa: E402
import context  # noqa: E402
from formula import LeastPlan  # noqa: E402

TARGETS = (  # Name, what is divided by what, the most that is allowed.
    ("routing / OpenSM's", 1 / 100), ("routing with verifier / OpenSM's", 1 / 30),
    ("memory / OpenSM's", 1 / 8), ("start to SUBNET UP / OpenSM's", 1 / 3),
    ("start to SUBNET UP / simulator alone", 1.5), ("SMPs / least number", 1.05))


# The same for every engine, in each order.
ENGINE_TARGETS = (("routing / OpenSM's", 1 / 150), ("memory / OpenSM's", 1 / 10))
# How much routing may take of OpenSM's; OpenSM's torus-2QoS keeps so little that memory has no target.
LANE_ENGINES = {"dfsssp": 1 / 50, "lash": 1 / 200, "nue": 1 / 20, "torus-2QoS": 1 / 20}


def Ratio(ours, theirs):
    """None: they took too little for the clock that counts CPU time."""
    return ours / theirs if theirs else None


def Missed(value, target):
    return value is not None and value > target


def CpuSeconds(process):
    with open("/proc/%d/stat" % process.pid, encoding="ascii") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def LogSeconds(log, text):
    """The time of day at which OpenSM's log says `text`, in seconds of UTC."""
    found = re.search(r"^\w+ \d+ (\d+):(\d+):(\d+) (\d+) .*" + text, log, re.M)
    checks.Expect(found, "OpenSM's log does not say \"%s\"", text)
    hours, minutes, seconds, micros = map(int, found.groups())
    return hours * 3600 + minutes * 60 + seconds + micros / 1e6


def MeasureOpenSm(manager):
    """OpenSM ends after its first sweep (-o), so that its log need not be read while it works."""
    begun, samples, peak = time.time() % 86400, [(0.0, 0.0)], 0
    while manager.IsRunning():
        try:
            peak = max(peak, manager.PeakMemoryBytes())
            samples.append((time.time() % 86400 - begun, CpuSeconds(manager.process)))
        except (OSError, TypeError):
            break  # It ended between two looks.
        time.sleep(0.05)
    checks.Expect(manager.process.wait() == 0, "OpenSM failed; see %s", manager.directory)
    log = manager.Log()
    marks = [(LogSeconds(log, text) - begun) % 86400 for text in (
        "building routing with", "tables configured on all switches", "SUBNET UP")]
    cpu = [next((spent for at, spent in samples if at >= mark), samples[-1][1]) for mark in marks]
    return {"routing_s": marks[1] - marks[0], "routing_cpu_s": cpu[1] - cpu[0],
            "start_to_up_s": marks[2], "cpu_s": cpu[2], "peak_rss_bytes": peak}


def MeasureEmberSm(manager):
    result = {"start_to_up_s": manager.WaitUp(1200), "cpu_s": CpuSeconds(manager.process),
              "peak_rss_bytes": manager.PeakMemoryBytes()}
    status = manager.Status()
    result["status"] = status
    result["routing_s"] = status["routing"]["routing_us"] / 1e6
    result["verifying_s"] = status["routing"]["verifying_us"] / 1e6
    result["longest_step_s"] = status["time"]["longest_step_us"] / 1e6
    result["smps"] = status["smps"]["sent"]
    return result


def Measure(bench, kind, arguments, name="", configuration=""):
    """Starts one manager on a fresh simulator, in a directory `name`; until SUBNET UP."""
    simulator = bench.Simulate(arguments.net)
    manager = bench.Manage(simulator.hosts[0].name, name=name or kind, kind=kind, once=True,
                           configuration=configuration, stock=arguments.preload == "stock")
    result = (MeasureOpenSm if kind == "opensm" else MeasureEmberSm)(manager)
    if arguments.preload == "simumad":
        result["requests"] = manager.traffic().Named()
    manager.Kill()
    return result


def Step(bench, arguments):
    simulator = bench.Simulate(arguments.net)
    counts, lines = LeastPlan(simulator)
    pump = os.path.join(bench.directory, "pump")
    subprocess.run(["cc", "-O2", "-Wall", "-Wextra", "-o", pump, os.path.join(HERE, "pump.c")],
                   check=True)
    done = subprocess.run([pump, simulator.name, simulator.hosts[0].name, "32"],
                          input="".join(lines), capture_output=True, text=True, check=True)
    seconds, sent, lost = done.stdout.split()
    checks.Expect(int(lost) == 0, "the pump lost %s of %s SMPs", lost, sent)
    return {"seconds": float(seconds), "smps": int(sent), "counts": counts}


def Table(results):
    theirs, ours, alone = results["opensm"], results["embersm"], results["simulator"]
    megabyte = 1 << 20
    rows = [("", "OpenSM 3.3.23", "EmberSM", "simulator alone"),
            ("routing, wall clock", "%.3f s" % theirs["routing_s"], "", ""),
            ("routing, CPU time", "%.3f s" % theirs["routing_cpu_s"],
             "%.4f s" % ours["routing_s"], ""),
            ("and verifier", "no verifier",
             "%.4f s" % (ours["routing_s"] + ours["verifying_s"]), ""),
            ("peak resident memory", "%.1f MiB" % (theirs["peak_rss_bytes"] / megabyte),
             "%.1f MiB" % (ours["peak_rss_bytes"] / megabyte), ""),
            ("start to SUBNET UP", "%.2f s" % theirs["start_to_up_s"],
             "%.2f s" % ours["start_to_up_s"], "%.2f s" % alone["seconds"]),
            ("CPU time until then", "%.2f s" % theirs["cpu_s"], "%.2f s" % ours["cpu_s"], ""),
            ("SMPs sent", str(sum(theirs["requests"].values())) if "requests" in theirs else "",
             str(ours["smps"]), "%d (least)" % alone["smps"]),
            ("longest step", "", "%.2f ms of CPU" % (ours["longest_step_s"] * 1e3), "")]
    return "\n".join("  %-22s %16s %18s %18s" % row for row in rows)


def Ratios(results):
    theirs, ours, alone = results["opensm"], results["embersm"], results["simulator"]
    routing = ours["routing_s"]
    # CPU time against CPU time: on a busy machine a wall clock flatters whoever works less.
    values = (Ratio(routing, theirs["routing_cpu_s"]),
              Ratio(routing + ours["verifying_s"], theirs["routing_cpu_s"]),
              ours["peak_rss_bytes"] / theirs["peak_rss_bytes"],
              ours["start_to_up_s"] / theirs["start_to_up_s"],
              ours["start_to_up_s"] / alone["seconds"], ours["smps"] / alone["smps"])
    return [{"ratio": name, "value": value, "target": target, "met": not Missed(value, target)}
            for (name, target), value in zip(TARGETS, values)]


def EngineText(bench, arguments, engine):
    """What makes both managers route by it."""
    text = "routing_engine %s\n" % engine
    if engine in LANE_ENGINES:
        text += "qos TRUE\n"
    if engine == "torus-2QoS":
        nodes = bench.Simulate(arguments.net).nodes
        path = os.path.join(bench.directory, "torus.conf")
        with open(path, "w", encoding="ascii") as file:
            file.write("torus %s\n" % arguments.net.split("-")[1].replace("x", " "))
            for name, other in (("xp", "1.0.0"), ("yp", "0.1.0"), ("zp", "0.0.1")):
                file.write("%s_link 0x%x 0x%x\n" % (name, nodes["S-0.0.0"].guid,
                                                   nodes["S-" + other].guid))
        text += "torus_config %s\n" % path
    return text


def MeasureEngines(bench, arguments):
    """A line for each engine and order. Returns the rows, missed targets marked."""
    rows = []
    print("  %-10s %-9s %12s %12s %9s %12s %10s %9s" % (
        "engine", "order", "OpenSM CPU", "our CPU", "ratio", "and verifier", "memory", "ratio"))
    for engine in arguments.engines.split(","):
        text = EngineText(bench, arguments, engine)
        targets = (LANE_ENGINES.get(engine, ENGINE_TARGETS[0][1]),
                   1 if engine == "torus-2QoS" else ENGINE_TARGETS[1][1])
        theirs = Measure(bench, "opensm", arguments, "opensm-" + engine, text)
        for order in ("opensm", "balanced"):
            ours = Measure(bench, "embersm", arguments, "embersm-%s-%s" % (engine, order),
                           text + "order %s\n" % order)
            ratios = (Ratio(ours["routing_s"], theirs["routing_cpu_s"]),
                      ours["peak_rss_bytes"] / theirs["peak_rss_bytes"])
            missed = any(Missed(seen, most) for seen, most in zip(ratios, targets))
            rows.append({"engine": engine, "order": order, "opensm": theirs, "embersm": ours,
                         "ratios": ratios, "met": not missed})
            print("  %-10s %-9s %10.2f s %9.1f ms %9s %9.1f ms %6.1f MiB %9.4f%s" % (
                engine, order, theirs["routing_cpu_s"], ours["routing_s"] * 1e3,
                "-" if ratios[0] is None else "%.5f" % ratios[0],
                (ours["routing_s"] + ours["verifying_s"]) * 1e3,
                ours["peak_rss_bytes"] / (1 << 20), ratios[1], "  MISSED" if missed else ""),
                flush=True)
    return rows


def Main():
    parser = argparse.ArgumentParser(description="EmberSM beside OpenSM over ibsim.")
    parser.add_argument("--bin", default=os.path.join(ROOT, "build", "release", "bin"))
    parser.add_argument("--net", default="ft3-k36")
    parser.add_argument("--preload", choices=("stock", "simumad"), default="stock")
    parser.add_argument("--work", default=os.path.join(ROOT, "build", "bench"))
    parser.add_argument("--json", default="")
    parser.add_argument("--engines", default="", help="compare these engines instead")
    parser.add_argument("--check", action="store_true", help="exit status 1 when a target is missed")
    arguments = parser.parse_args()
    work = os.path.abspath(arguments.work)
    shutil.rmtree(work, ignore_errors=True)
    tools = context.Tools(os.path.dirname(os.path.abspath(arguments.bin)), work)
    tools.Prepare()
    bench = context.Context(work, tools, "embersm")
    if arguments.engines:
        try:
            rows = MeasureEngines(bench, arguments)
        finally:
            bench.Close()
        with open(arguments.json or os.path.join(work, "engines.json"), "w",
                  encoding="utf-8") as file:
            json.dump(rows, file, indent=1)
        return 1 if arguments.check and not all(row["met"] for row in rows) else 0
    results = {"net": arguments.net, "preload": arguments.preload,
               "date": datetime.datetime.now(datetime.timezone.utc).isoformat("T", "seconds"),
               "load_before": os.getloadavg()[0]}
    try:
        for kind in ("opensm", "embersm"):
            results[kind] = Measure(bench, kind, arguments)
            time.sleep(1)
        results["simulator"] = Step(bench, arguments)
    finally:
        bench.Close()
    results["load_after"] = os.getloadavg()[0]
    results["ratios"] = Ratios(results)
    with open(arguments.json or os.path.join(work, "result.json"), "w", encoding="utf-8") as file:
        json.dump(results, file, indent=1)
    print("%s over ibsim, both managers through the preload \"%s\"; load average %.1f before, %.1f "
          "after" % (arguments.net, arguments.preload, results["load_before"],
                     results["load_after"]))
    print(Table(results))
    for ratio in results["ratios"]:
        value = ratio["value"]
        print("  %-40s %8s  (target at most %.4f)%s" % (
            ratio["ratio"], "-" if value is None else "%.4f" % value, ratio["target"],
            "" if ratio["met"] else "  MISSED"))
    return 1 if arguments.check and not all(ratio["met"] for ratio in results["ratios"]) else 0


if __name__ == "__main__":
    sys.exit(Main())
