# SPDX-License-Identifier: Apache-2.0
# EmberSM: cases: explain says the same on the switch and on paper, and what clients are told.
import os
import random
import re
import subprocess

import checks
import qos_policy_cases
from cases import Named
from checks import Expect

PAIRS = 40
# Nothing in a netlist tells it; ibsim's ports have it.
MTU = "2048"


def Paper(context, fabric, configuration, home, *words):
    """What emberc says, but for its last line, which is about paper."""
    done = subprocess.run(
        [context.tools.Program("emberc"), "explain", *words, "-f", fabric, "-c", configuration,
         "--sm", home, "--port-mtu", MTU], capture_output=True, text=True, timeout=100, check=False)
    Expect(done.returncode == 0, "emberc explain %s: exit status %d: %s", " ".join(words),
           done.returncode, done.stderr.strip()[-300:])
    return re.sub(r"^On paper: .*\n", "", done.stdout, flags=re.M)


def Discovered(context):
    """The netlist that the real ibnetdiscover prints of the subnet, with its LIDs and speeds."""
    host = context.Witness(context.managers[0].node)
    done = checks.RunTool(context, "ibnetdiscover", node=host, timeout_s=100)
    Expect(done.returncode == 0, "ibnetdiscover: exit status %d", done.returncode)
    path = os.path.join(context.directory, "found.net")
    with open(path, "w", encoding="utf-8") as file:
        file.write(done.stdout)
    return path


def Questions(simulator):
    """Questions of each kind about random pairs of hosts, named in each way."""
    draw = random.Random(17)
    hosts = simulator.hosts
    options = ((), ("--service-id", "0xABC"), ("--qos-class", "8"), ("--pkey", "0x0001"),
               ("--sl", "3"), ("--service-id", "1", "--qos-class", "100"), ("--mtu", "512"),
               ("--reversible",))
    for number in range(PAIRS):
        one, other = draw.choice(hosts), draw.choice(hosts)
        a, b = one.name, "0x%x" % other.PortGuid(1)
        yield "partition", a, b
        yield ("path", b, a, *options[number % len(options)])
        p_key = 0x8000 | draw.choice((0x7FFF, 1, 2, 3))
        yield "join", a, "ff12:401b:%x::ffff:ffff" % p_key


@Named("explain.as-on-paper", kinds=("embersm",), timeout_s=240, hosts_only="a host is named")
def AsOnPaper(context):
    """emberctl explain and emberc explain print the same octets: who may talk to whom, paths under
    a QoS policy, and joins."""
    simulator = context.Simulate("ft2-k8")
    home = simulator.hosts[0].name
    configuration = qos_policy_cases.Configure(context, simulator)
    sm = context.Manage(home, configuration=configuration)
    sm.WaitUp()
    conf = os.path.join(sm.directory, "opensm.conf")
    fabric = Discovered(context)
    words = {"may": 0, "not": 0}
    seen = set()
    for question in Questions(simulator):
        there = sm.Control("explain", *question)
        paper = Paper(context, fabric, conf, home, *question)
        Expect(there == paper, "explain %s:\n%s\non paper:\n%s", " ".join(question), there, paper)
        words["not" if re.search(r"may not|no path", there) else "may"] += 1
        seen.update(re.findall(r"QoS level \"(\w+)\"", there))
    Expect(words["may"] > 20 and words["not"] > 20, "answers: %s", words)
    Expect(len(seen) > 2, "levels: %s", sorted(seen))
    context.Note("%d answers alike, %d of them no, levels %s", sum(words.values()), words["not"],
                 ", ".join(sorted(seen)))
