# SPDX-License-Identifier: Apache-2.0
# EmberSM: cases: docs/upgrade.md, followed to the letter.
"""The command blocks of the page run as they stand there, each in the shell of its host, over ibsim
with two managers that have one replication_key. What is substituted is what moving_cases.py
substitutes, and `dpkg`, which only writes down that it was asked: one release exists, so the
program that is started again is the same."""
import functools
import os
import re
import shlex
import subprocess
import time

import context as surroundings
from cases import Add
from checks import Expect

PAGE = os.path.join(surroundings.ROOT, "docs", "upgrade.md")
STEPS = ["What two releases share", "1. The standby", "2. The master", "3. The configuration",
         "Going back"]
FED = "configured alike, 0 entries and 0 us behind"
BLOCK = re.compile(r"^```sh( standby| master)?\n(.*?)^```$", re.M | re.S)
SYSTEMCTL = """#!/bin/bash
stop() { kill "$(cat pid)" && tail --pid="$(cat pid)" -f /dev/null; }
start() {
    setsid %(embersm)s --state-dir state --blob ../site.blob --public-key ../site.pub \\
        --socket socket >> log 2>&1 < /dev/null &
    echo $! > pid
    for _ in $(seq 100); do [ -S socket ] && exit 0; sleep 0.1; done
    exit 1
}
cd "$(dirname "$0")/.." || exit 1
case "$*" in
    "start embersm") start ;;
    "restart embersm") stop && start ;;
    *) echo "systemctl: nothing is known of: $*" >&2; exit 1 ;;
esac
"""


def Steps():
    """Heading -> [(commands, host or "")], in the order of the page."""
    with open(PAGE, encoding="utf-8") as file:
        parts = re.split(r"^## ", file.read(), flags=re.M)[1:]
    return {part.split("\n", 1)[0]: [(match[2], (match[1] or "").strip())
                                     for match in BLOCK.finditer(part)] for part in parts}


class Machine:
    """A host of the page: a folder, and a shell in the folder above, where the blob is."""

    def __init__(self, context, name, node):
        self.context, self.name, self.node = context, name, node
        self.site = os.path.abspath(context.directory)
        self.root = os.path.join(self.site, name)
        os.makedirs(os.path.join(self.root, "bin"))
        tools = context.tools
        scripts = {
            "emberctl": "#!/bin/sh\nexec %s --socket %s/socket \"$@\"\n" % (
                shlex.quote(tools.Program("emberctl")), shlex.quote(self.root)),
            "emberc": "#!/bin/sh\nexec %s \"$@\"\n" % shlex.quote(tools.Program("emberc")),
            "systemctl": SYSTEMCTL % {"embersm": shlex.quote(tools.Program("embersm"))},
            "dpkg": "#!/bin/sh\necho \"$*\" >> %s/installed\n" % shlex.quote(self.root)}
        for script, text in scripts.items():
            path = os.path.join(self.root, "bin", script)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            os.chmod(path, 0o755)

    def Run(self, block):
        environment = self.context.simulator.Environment(self.node, self.context.tools.preload)
        environment["PATH"] = os.path.join(self.root, "bin") + ":" + environment["PATH"]
        done = subprocess.run(["bash", "-c", "set -eu\n" + block], cwd=self.site, timeout=120,
                              capture_output=True, text=True, env=environment, check=False)
        Expect(done.returncode == 0, "%s: exit status %d of\n%s\n%s%s", self.name, done.returncode,
               block, done.stdout[-600:], done.stderr[-600:])
        return done.stdout

    def Await(self, *words, timeout_s=60):
        """What `emberctl status` says as soon as all of these are in it."""
        end = time.monotonic() + timeout_s
        page = ""
        while time.monotonic() < end:
            page = self.Run("emberctl status")
            if all(re.search(word, page) for word in words):
                return page
            time.sleep(0.2)
        Expect(False, "%s: no %s after %d s:\n%s", self.name, words, timeout_s, page)
        return page

    def Logged(self, words):
        with open(os.path.join(self.root, "log"), encoding="utf-8") as file:
            return file.read().count(words)

    def End(self):
        path = os.path.join(self.root, "pid")
        if os.path.exists(path):
            subprocess.run(["bash", "-c", "kill -9 $(cat %s)" % shlex.quote(path)], check=False,
                           capture_output=True)


def StandbyFirst(net, context):
    """The page docs/upgrade.md leads from one release to another and back; no LID changes."""
    simulator = context.Simulate(net)
    master = Machine(context, "master", simulator.hosts[0].name)
    standby = Machine(context, "standby", simulator.hosts[5].name)
    with open(os.path.join(context.directory, "site.conf"), "w", encoding="utf-8") as file:
        file.write("replication_key %s\n" % ("5f0c9a" * 8))
    try:
        Follow(context, master, standby)
    finally:
        master.End()
        standby.End()


for _name, _net, _short in (("", "ft2-k8", True), (".208", "ft3-k8", True),
                            (".13284", "ft3-k36", False)):
    Add("upgrade.standby-first" + _name, functools.partial(StandbyFirst, _net), _short,
        300 if _short else 1800, kinds=("embersm",), hosts_only="the page tells of two hosts")


def Follow(context, master, standby):
    """Every step in order, and after each what the page promises of it."""
    machines = {"master": master, "standby": standby, "": standby}
    master.Run("emberc keygen --private site.pem --public site.pub\n"
               "emberc compile site.conf -o site.blob --key site.pem\nsystemctl start embersm")
    master.Await("SUBNET UP: MASTER")
    standby.Run("systemctl start embersm")
    master.Await(FED)
    begun = context.Read(master.node, standby.node).LidsByGuid()
    steps = Steps()
    Expect(list(steps) == STEPS, "the page has the steps %s", list(steps))

    def Do(number):
        return [machines[host].Run(block) for block, host in steps[STEPS[number]]]

    Expect("schema" in Do(0)[0], "verify does not tell the schema")
    for block, host in steps[STEPS[1]]:
        machines[host].Run(block)
        standby.Await("STANDBY")
        master.Await("MASTER", FED)
    Do(2)
    master.Await("SUBNET UP: MASTER", FED)  # It ranks higher: its GUID is the lower one.
    for words in ("handed the subnet over to us", "no client is asked to register again"):
        Expect(standby.Logged(words) == 1, "the standby did not say: %s", words)
        Expect(master.Logged(words) == 1, "the master did not say: %s", words)
    time.sleep(1.1)  # A counter is a time in seconds.
    for number in (3, 4):
        Do(number)
        master.Await("SUBNET UP: MASTER", FED)
        time.sleep(1.1)
    for machine in (master, standby):
        # ibsim keeps TrapRepress to itself: a standby repeats its traps until they are too many.
        refused = machine.Logged("refused") - machine.Logged("[trap-refused]")
        Expect(refused == 0, "%s refused something", machine.name)
    with open(os.path.join(standby.root, "installed"), encoding="utf-8") as file:
        Expect(file.read() == "-i embersm.deb\n-i embersm-before.deb\n", "other packages")
    after = context.Read(master.node, standby.node)
    after.Check()
    Expect(after.LidsByGuid() == begun, "a LID changed")
