# SPDX-License-Identifier: Apache-2.0
# EmberSM: cases: docs/moving-from-opensm.md, followed to the letter.
"""The command blocks of the page run as they stand there, in a shell, over ibsim with OpenSM.

What is substituted, and nothing else:
* the folders of PLACES, by folders of the case, also inside the words of the commands;
* `systemctl`, which has no service manager to talk to here, by a script that does to the process
  what the shipped unit says (its ExecStart line, and /etc/default/embersm);
* `emberctl` finds the socket in the case's folder, and all programs of a host talk to ibsim.
A block ```sh opensm-host belongs to OpenSM's host, all other ```sh blocks to EmberSM's.
"""
import json
import os
import re
import shlex
import signal
import subprocess
import time

import context as surroundings
import ibsim
import managers
from cases import Named
from checks import Expect

PAGE = os.path.join(surroundings.ROOT, "docs", "moving-from-opensm.md")
UNIT = os.path.join(surroundings.ROOT, "toolchain", "packaging", "systemd", "embersm.service.in")
PLACES = ("/etc/embersm", "/etc/opensm", "/etc/default", "/var/lib/embersm", "/run/embersm")
STEPS = ["1. Take the configuration along", "2. Compare on paper", "3. Start it as a standby",
         "4. Hand over", "5. Confirm", "The way back"]
BLOCK = re.compile(r"^```sh( opensm-host)?\n(.*?)^```$", re.M | re.S)

SYSTEMCTL = """#!/bin/bash
# Stands in for systemd: `start` and `stop embersm` as its unit says, and `kill` of OpenSM.
case "$*" in
    "start embersm")
        . "%(default)s/embersm"
        SIMUMAD_COUNTS="%(counts)s" setsid %(start)s $EMBERSM_OPTIONS >> "%(log)s" 2>&1 < /dev/null &
        echo $! > "%(pid)s"
        for _ in $(seq 100); do [ -S "%(run)s/embersm.sock" ] && exit 0; sleep 0.1; done
        exit 1 ;;
    "stop embersm") kill "$(cat "%(pid)s")" && tail --pid="$(cat "%(pid)s")" -f /dev/null ;;
    "kill --signal=HUP opensm@*") kill -HUP %(opensm)d ;;
    *) echo "systemctl: nothing is known of: $*" >&2; exit 1 ;;
esac
"""


def Steps():
    """Heading -> [(commands, are for OpenSM's host)], in the order of the page."""
    with open(PAGE, encoding="utf-8") as file:
        text = file.read()
    steps = {}
    for part in re.split(r"^## ", text, flags=re.M)[1:]:
        heading = part.split("\n", 1)[0]
        steps[heading] = [(match[2], bool(match[1])) for match in BLOCK.finditer(part)]
    return steps


class Hosts:
    """The two hosts of the page: one folder that stands for their file systems, one shell."""

    def __init__(self, context, opensm, host):
        self.context, self.opensm, self.host = context, opensm, host
        self.root = os.path.abspath(os.path.join(context.directory, "root"))
        self.log = os.path.join(self.root, "embersm.log")
        self.pid = os.path.join(self.root, "embersm.pid")
        self.counts = os.path.join(self.root, "embersm.counts")
        self.here = self.root
        for place in PLACES:
            os.makedirs(os.path.dirname(self.root + place), exist_ok=True)
            if place == "/etc/opensm":
                os.symlink(os.path.abspath(opensm.directory), self.root + place)
            else:
                os.mkdir(self.root + place)
        self._Install()

    def Path(self, path):
        return self.root + path

    def _Install(self):
        programs = os.path.join(self.root, "bin")
        os.makedirs(programs)
        tools = self.context.tools
        with open(UNIT, encoding="utf-8") as file:
            start = re.search(r"^ExecStart=(.*) \$EMBERSM_OPTIONS$", file.read(), re.M)[1]
        start = self.Placed(start).replace("@CMAKE_INSTALL_FULL_SBINDIR@/embersm",
                                           tools.Program("embersm"), 1)
        start = start.replace("--syslog", "--socket %s/embersm.sock" % self.Path("/run/embersm"))
        scripts = {
            "emberctl": "#!/bin/sh\nexec %s --socket %s \"$@\"\n" % (
                shlex.quote(tools.Program("emberctl")),
                shlex.quote(self.Path("/run/embersm/embersm.sock"))),
            "emberc": "#!/bin/sh\nexec %s \"$@\"\n" % shlex.quote(tools.Program("emberc")),
            "systemctl": SYSTEMCTL % {
                "default": self.Path("/etc/default"), "run": self.Path("/run/embersm"),
                "start": start, "log": self.log, "pid": self.pid, "counts": self.counts,
                "opensm": self.opensm.process.pid},
        }
        for name, text in scripts.items():
            path = os.path.join(programs, name)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            os.chmod(path, 0o755)

    def Placed(self, text):
        return re.sub("|".join(PLACES), lambda match: self.root + match[0], text)

    def Run(self, block, on_opensm_host=False):
        """The output of a block. The next one goes on in the folder where this one ended."""
        node = self.opensm.node if on_opensm_host else self.host
        environment = self.context.simulator.Environment(node, self.context.tools.preload)
        environment["PATH"] = os.path.join(self.root, "bin") + ":" + environment["PATH"]
        folder = os.path.join(self.root, "folder")
        script = "set -eu\ncd %s\n%s\npwd > %s\n" % (shlex.quote(self.here), self.Placed(block),
                                                    shlex.quote(folder))
        done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=120,
                              env=environment, check=False)
        Expect(done.returncode == 0, "exit status %d of\n%s\n%s%s", done.returncode, block,
               done.stdout[-600:], done.stderr[-600:])
        if not on_opensm_host:
            with open(folder, encoding="utf-8") as file:
                self.here = file.read().strip()
        return done.stdout

    def Await(self, role, timeout_s=60):
        """What `emberctl status` says as soon as it has that role and, as the master, the subnet
        up."""
        end = time.monotonic() + timeout_s
        while time.monotonic() < end:
            facts = json.loads(self.Run("emberctl --json status"))
            if facts["role"] == role and (facts["up"] or role != "MASTER"):
                return self.Run("emberctl status")
            time.sleep(0.2)
        Expect(False, "no %s after %d s", role, timeout_s)
        return ""

    def Guid(self, node):
        return "%x" % self.context.simulator.nodes[node].PortGuid(1)

    def End(self):
        if os.path.exists(self.pid):
            with open(self.pid, encoding="utf-8") as file:
                pid = int(file.read())
            if os.path.exists("/proc/%d" % pid):
                os.kill(pid, signal.SIGKILL)


def AwaitMaster(context, routes, witness, node, timeout_s=90):
    """Until the subnet manager at that node says that it is the master; returns the seconds."""
    begun = time.monotonic()
    while time.monotonic() - begun < timeout_s:
        with ibsim.Client(context.simulator, witness) as client:
            try:
                _, info = client.Ask(routes[node], ibsim.SM_INFO, tries=2, timeout_s=0.5)
                if info[20] & 15 == 3:
                    return time.monotonic() - begun
            except ibsim.Unanswered:
                pass
        time.sleep(0.2)
    Expect(False, "%s is not the master after %d s", node, timeout_s)
    return timeout_s


def Age(context, folder):
    """LIDs as a subnet has them after years: OpenSM's store, made before its start, gives them in
    no order and with holes."""
    os.makedirs(folder, exist_ok=True)
    guids = [node.PortGuid(port) for node in context.simulator.nodes.values()
             for port in node.end_ports()]
    with open(os.path.join(folder, "guid2lid"), "w", encoding="utf-8") as file:
        for i, guid in enumerate(sorted(guids)):
            lid = 7 + 3 * (i * 29 % len(guids))
            file.write("0x%016x 0x%04x 0x%04x\n\n" % (guid, lid, lid))


def TopLid(subnet):
    return max(lid for lid, *_ in subnet.LidsByGuid().values())


def Everything(context):
    """OpenSM's configuration with all its keys, as OpenSM itself writes it, at their defaults but
    for the seconds that a standby waits."""
    path = os.path.join(context.directory, "everything.conf")
    subprocess.run(["opensm", "-c", path], check=True, capture_output=True, timeout=60,
                   env=context.simulator.Environment(context.simulator.hosts[0].name,
                                                     context.tools.preload))
    with open(path, encoding="utf-8") as file:
        text = file.read()
    for key, value in (("sminfo_polling_timeout", 1000), ("polling_retry_number", 2)):
        text, count = re.subn("^%s .*" % key, "%s %d" % (key, value), text, flags=re.M)
        Expect(count == 1, "opensm -c writes %d lines of %s", count, key)
    return re.sub("^force_log_flush .*\n", "", text, flags=re.M)


@Named("moving.five-steps", kinds=("embersm",), timeout_s=300,
       hosts_only="the page tells of two hosts")
def FiveSteps(context):
    """The page docs/moving-from-opensm.md leads from a running OpenSM to EmberSM and back."""
    simulator = context.Simulate("ft2-k8")
    theirs, ours = simulator.hosts[0].name, simulator.hosts[5].name
    Age(context, os.path.join(context.directory, "opensm"))
    opensm = context.Manage(theirs, "opensm", kind="opensm", configuration=Everything(context))
    opensm.WaitUp()
    opensm.WaitQuiet()
    hosts = Hosts(context, opensm, ours)
    try:
        Follow(context, hosts, theirs, ours)
    finally:
        hosts.End()


def Follow(context, hosts, theirs, ours):
    """Every step in order, and after each what the page promises of it."""
    witness = context.Witness(theirs, ours)
    routes = context.simulator.Routes(witness)
    begun = context.Read(theirs, ours)
    begun.Check()
    Expect(TopLid(begun) > 2 * len(begun.LidsByGuid()), "OpenSM gave LIDs of its own")
    steps = Steps()
    Expect(list(steps) == STEPS, "the page has the steps %s", list(steps))
    for number in range(3):
        outputs = [hosts.Run(*block) for block in steps[STEPS[number]]]
        if number == 0:
            Expect("0 errors" in outputs[-1], "emberc check says %s", outputs[-1])
        if number == 1:
            Expect(re.match(r"0 of [1-9]\d* routes move.*; 0 base LIDs move", outputs[-1]),
                   "on paper %s", outputs[-1])
            plan = json.loads(hosts.Run("emberc plan -f fabric.net -c site.conf --json -"))
            top = {row["name"]: row["needed"] for row in plan["boards"][0]["limits"]}["top LID"]
            Expect(top == TopLid(begun), "the top LID is %d on paper", top)
            context.Note("on paper %s", outputs[-1].split(";", 1)[0])
    time.sleep(3)  # Long enough for an election that goes wrong.
    AwaitMaster(context, routes, witness, theirs, timeout_s=1)
    Expect("STANDBY" in hosts.Await("STANDBY"), "it does not stand by")
    Expect(managers.Traffic(hosts.counts).Sets() == 0, "a standby sent Sets")

    def HandOver():
        for block in steps[STEPS[3]]:
            hosts.Run(*block)
        return AwaitMaster(context, routes, witness, ours)

    context.Note("handed over after %.1f s", HandOver())
    hosts.Await("MASTER")
    outputs = [hosts.Run(*block) for block in steps[STEPS[4]]]
    Expect("SMINFO_MASTER" in outputs[0], "sminfo: %s", outputs[0])
    Expect(hosts.Guid(ours) in outputs[0], "sminfo names another port: %s", outputs[0])
    after = context.Read(theirs, ours)
    after.Check()
    Expect(after.LidsByGuid() == begun.LidsByGuid(), "a LID changed")

    gently, hastily = steps[STEPS[5]]
    hosts.Run(*gently)
    context.Note("given back after %.1f s", AwaitMaster(context, routes, witness, theirs))
    HandOver()
    hosts.Run(*hastily)
    context.Note("taken back after %.1f s", AwaitMaster(context, routes, witness, theirs))
    last = context.Read(theirs, ours)
    last.Check()
    Expect(last.LidsByGuid() == begun.LidsByGuid(), "a LID changed on the way back")
