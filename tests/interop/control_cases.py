# SPDX-License-Identifier: Apache-2.0
# EmberSM: cases: what an operator and a monitoring system are told while the manager runs.
import json
import os
import re
import signal
import socket
import subprocess
import time

from cases import Named
from checks import Expect

SAMPLE = re.compile(r'([a-z_]+)(?:\{((?:[a-z_]+="(?:[^\\"\n]|\\[\\"n])*",?)+)\})? (\d+(?:\.\d+)?)')
LABEL = re.compile(r'([a-z_]+)="((?:[^\\"]|\\.)*)"')
SUFFIX = {"counter": "_total", "info": "_info", "gauge": "", "stateset": ""}


def ReadMetrics(page):
    """A page of OpenMetrics, read strictly: {(name, ((label, value), ...)): text of the number}."""
    lines = page.split("\n")
    Expect(lines[-2:] == ["# EOF", ""], "the page does not end in # EOF: %s", lines[-2:])
    samples, families, family, kind = {}, set(), "", ""
    for line in lines[:-2]:
        if line.startswith("# "):
            word, name, rest = line[2:].split(" ", 2)
            if word == "TYPE":
                Expect(name not in families, "%s is declared twice", name)
                families.add(name)
                family, kind = name, rest
                Expect(kind in SUFFIX, "no such type: %s", line)
            Expect(word in ("TYPE", "UNIT", "HELP") and name == family, "out of place: %s", line)
            continue
        match = SAMPLE.fullmatch(line)
        Expect(match and match[1] == family + SUFFIX[kind], "not of %s: %s", family, line)
        key = (match[1], tuple(sorted(LABEL.findall(match[2] or ""))))
        Expect(key not in samples, "%s is there twice", line)
        samples[key] = match[3]
    return samples


def Value(samples, name, **labels):
    return float(samples[(name, tuple(sorted(labels.items())))])


@Named("control.metrics", kinds=("embersm",))
def Metrics(context):
    """`emberctl metrics --openmetrics` is strict OpenMetrics and has the numbers of `emberctl status --json`."""
    simulator = context.Simulate("torus-4x4x4")
    manager = context.Manage(simulator.hosts[0].name,
                             configuration="routing_engine ftree,minhop\nsweep_interval 0\n"
                                           "require_deadlock_free FALSE\nscrub_interval 0\n")
    end = time.monotonic() + 30
    while not manager.HasSaid("cannot route this fabric") and time.monotonic() < end:
        time.sleep(0.05)
    manager.WaitQuiet()
    status = manager.Status()
    samples = ReadMetrics(manager.Control("metrics", "--openmetrics"))
    subnet, smps = status["subnet"], status["smps"]
    for name in ("nodes", "switches", "links", "end_ports", "top_lid"):
        Expect(Value(samples, "embersm_" + name) == subnet[name], "%s differs", name)
    for what in ("sent", "answered", "resent", "timeouts", "malformed"):
        Expect(Value(samples, "embersm_smps_total", what=what) == smps[what], "%s differs", what)
    Expect(Value(samples, "embersm_up") == int(status["up"]), "up differs")
    Expect(Value(samples, "embersm_role", embersm_role="MASTER") == 1, "the role is another")
    refused = [dict(labels) for name, labels in samples if name == "embersm_routing_refused"]
    told = status["routing"]["refused"]
    Expect(refused and len(refused) == len(told), "%s are told, the page has %s", told, refused)
    for one, other in zip(sorted(refused, key=lambda labels: labels["place"]), told):
        Expect(one["engine"] == other["engine"], "%s and %s", one, other)
        Expect(other["reason"].startswith(one["reason"]) and one["reason"], "%s, %s", one, other)
        Expect(one["guid"] == other.get("at", ""), "%s and %s", one, other)
    log = manager.Log()
    Expect("ftree" in log and "cannot route this fabric" in log, "the log does not say why")
    context.Note("%d samples; refused: %s", len(samples), refused[0]["reason"])


@Named("control.memory", kinds=("embersm",))
def Memory(context):
    """`emberctl memory`, `embersm --memory`, `emberc boards` and `emberc plan` have one sum."""
    simulator = context.Simulate("single-switch")
    manager = context.Manage(simulator.hosts[0].name)
    manager.WaitUp()
    running = json.loads(manager.Control("memory", "--json"))

    def Said(program, *words):
        done = subprocess.run([context.tools.Program(program), *words], capture_output=True,
                              text=True, check=False)
        Expect(done.returncode == 0, "%s: %s", program, done.stderr)
        return done.stdout

    def Rows(text):
        return {name: int(number.replace(",", "")) for name, number in
                re.findall(r"^  (\S.*?) +([\d,]+) bytes", text, re.M)}

    board = Rows(Said("emberc", "boards", "linux_bench"))
    program = Rows(Said("embersm", "--memory"))
    Expect(board == program, "emberc boards and embersm --memory differ: %s",
           set(board.items()) ^ set(program.items()))
    Expect(board["together"] == running["together_bytes"], "emberctl memory says %d, not %d",
           running["together_bytes"], board["together"])
    fits = json.loads(Said("emberc", "plan", "-f", "ft2:8", "--json", "-"))["boards"]
    planned = next(fit["board_bytes"] for fit in fits if fit["board"] == "linux_bench")
    Expect(planned == board["together"], "emberc plan says %d, not %d", planned, board["together"])
    context.Note("%d octets, said four times", planned)


@Named("control.reload", kinds=("embersm",))
def Reload(context):
    """SIGHUP and `emberctl reload` take a newer blob over, and nothing else."""
    simulator = context.Simulate("ft2-k8")
    base = "order opensm\nsweep_interval 0\n"
    manager = context.Manage(simulator.hosts[0].name, configuration=base)
    manager.WaitUp()
    manager.WaitQuiet()

    def Engine():
        return manager.Status()["routing"]["engine"]

    def Compiled(text, *flags):
        path = os.path.join(manager.directory, "opensm.conf")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        done = subprocess.run([context.tools.Program("emberc"), "compile",
                               "--no-default-files", path, "-o",
                               os.path.join(manager.directory, "config.blob"), "--key",
                               os.path.join(manager.directory, "key.pem"), *flags],
                              capture_output=True, text=True, check=False)
        Expect(done.returncode == 0, "emberc: %s", done.stderr[-300:])

    def WaitFor(condition, what):
        end = time.monotonic() + 20
        while not condition():
            Expect(time.monotonic() < end and manager.IsRunning(), "in vain: %s", what)
            time.sleep(0.1)

    Expect(Engine() == "minhop", "it did not begin with min-hop")
    counter = int(time.time()) + 1000
    roots = os.path.join(manager.directory, "roots")
    with open(roots, "w", encoding="utf-8") as file:
        file.write("".join("0x%016x\n" % node.guid for node in simulator.switches
                           if node.name.startswith("S-spine")))
    updn = base + "routing_engine updn\nroot_guid_file %s\n" % os.path.abspath(roots)
    Compiled(updn, "--counter", str(counter))
    manager.process.send_signal(signal.SIGHUP)
    WaitFor(lambda: Engine() == "updn", "SIGHUP brings updn")
    Compiled(base + "routing_engine dnup\n", "--counter", str(counter + 1))
    Expect("accepted" in manager.Control("reload"), "emberctl does not say that it is accepted")
    WaitFor(lambda: Engine() == "dnup", "emberctl reload brings dnup")
    WaitFor(lambda: manager.HasSaid("configuration %d is confirmed" % (counter + 1)),
            "it is confirmed")
    Compiled(updn, "--counter", str(counter))  # A roll-back.
    manager.process.send_signal(signal.SIGHUP)
    WaitFor(lambda: manager.HasSaid("configuration refused"), "the log says so")
    manager.WaitQuiet()
    configuration = manager.Status()["configuration"]
    Expect(Engine() == "dnup", "an older configuration came in force")
    Expect("older" in configuration["sentence"], "status says: %s", configuration["sentence"])
    Expect(configuration["reloads"] == 2 and configuration["refused_reloads"] == 1,
           "counted were %s", configuration)
    context.Read(simulator.hosts[0].name).Check(True)
    context.Note("two taken over, one refused: %s", configuration["sentence"])


@Named("control.idle", kinds=("embersm",))
def Idle(context):
    """Clients that say nothing keep nobody away from the control socket."""
    simulator = context.Simulate("single-switch")
    manager = context.Manage(simulator.hosts[0].name)
    manager.WaitUp()
    idle = []
    for _ in range(8):
        client = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        client.connect(os.path.join(manager.directory, manager.SOCKET))
        idle.append(client)
    began = time.monotonic()
    Expect(manager.Status()["up"], "it is not up")
    context.Note("answered after %.1f s, with %d idle clients before it",
                 time.monotonic() - began, len(idle))
    for client in idle:
        client.close()
