# SPDX-License-Identifier: Apache-2.0
# EmberSM: cases: routing chains, at all sizes.
"""A chain of engines beside each engine alone, over ibsim and as `embersm --sim --once`."""
import functools
import os
import subprocess
import time

import nets
from bring_up_cases import Compare, ReadAfter
from cases import Add, Named
from checks import Expect
from dynamics_cases import Scene

GROUPS = """port-group
name: hosts
port-guid-range: 0x%x-0x%x
end-port-group
"""
TOPOLOGIES = """topology
id: 1
sw-grp: ALL_SWITCHES
hca-grp: ALL_CAS
end-topology
topology
id: 2
sw-grp: ALL_SWITCHES
hca-grp: hosts
end-topology
"""
STEP = "unicast-step\nid: %d\nengine: %s\n%send-unicast-step\n"
# What the last step of a chain routes is what that engine makes alone: its part is the whole.
STEPS = {2: (("minhop", 0), ("updn", 1)),
         3: (("minhop", 0), ("dnup", 2), ("updn", 1)),
         4: (("updn", 0), ("dnup", 2), ("updn", 2), ("minhop", 1))}
SIZES = (63, 64, 129, 257)
# Up/down routing leaves switches apart; hosts reach hosts.
APART = True


def Tree(lids):
    """Eight leaves, two spines, and as many hosts as make up the number of LIDs."""
    net = nets.Net()
    leaves = [net.Switch("leaf%d" % i, 40) for i in range(8)]
    spines = [net.Switch("spine%d" % i, 8) for i in range(2)]
    for leaf in leaves:
        for spine in spines:
            net.Cable(leaf, spine)
    for i in range(lids - 10):
        net.Host("%d" % i, leaves[i % 8])
    return net


def Chain(context, steps, guids=(0x100000, 0x100020), name="chain"):
    """Writes the files of a chain; the text that names them."""
    text = ""
    for key, content in (
            ("pgrp_policy_file", GROUPS % guids), ("topo_policy_file", TOPOLOGIES),
            ("rch_policy_file",
             "".join(STEP % (i + 1, engine, "topology: %d\n" % part if part else "")
                     for i, (engine, part) in enumerate(steps)))):
        path = os.path.abspath(os.path.join(context.directory, name + "." + key))
        with open(path, "w", encoding="utf-8") as file:
            file.write(content)
        text += "%s %s\n" % (key, path)
    return text + "routing_engine chain\n"


def SameAsAlone(lids, steps, context):
    """A chain whose last step routes the whole has the tables of that engine alone."""
    net = Tree(lids)
    read = []
    for text in ("routing_engine %s,no_fallback\n" % STEPS[steps][-1][0],
                 Chain(context, STEPS[steps])):
        read.append(ReadAfter(context, net, None, "embersm", APART,
                              configuration=text + "order opensm\n")[0])
    alone, chain = read
    Expect(max(base for base, _ in chain.lids.values()) == lids, "the highest LID is not %d", lids)
    context.Note("%d entries", Compare(alone, chain))


for _lids in SIZES:
    for _steps in STEPS:
        Add("chain.%d-steps.%d-lids" % (_steps, _lids),
            functools.partial(SameAsAlone, _lids, _steps), False,
            kinds=("embersm",))


def AtOnce(shape, steps, context):
    """embersm as it is shipped brings a large subnet up by a chain, and emberc has said so."""
    blob, key = context.tools.Compile(context.directory, Chain(context, STEPS[steps]))
    done = subprocess.run(
        [context.tools.Program("embersm"), "--sim=" + shape, "--once", "--log", "warning",
         "--blob", blob, "--public-key", key],
        cwd=context.directory, capture_output=True, text=True, timeout=500, check=False)
    said = done.stdout + done.stderr
    Expect(done.returncode == 0 and "SUBNET UP\n" in said, "%d: %s", done.returncode, said[-400:])
    context.Note("%s", said.splitlines()[-1])


for _steps in STEPS:
    Add("chain.once.%d-steps.1344-lids" % _steps, functools.partial(AtOnce, "ft3:16", _steps),
        False, kinds=("embersm",))
    Add("chain.once.%d-steps.13284-lids" % _steps, functools.partial(AtOnce, "ft3:36", _steps),
        False, timeout_s=600, kinds=("embersm",))


@Named("chain.reload", short=False, kinds=("embersm",), timeout_s=240)
def Reload(context):
    """A running manager of 208 LIDs takes a chain over, then one of four steps, then one with lanes
    of its own, and goes back to one engine. Cables are lost under the chain."""
    base = "order balanced\nqos TRUE\nsweep_interval 2\n"
    scene = Scene(context, "ft3-k8", configuration=base + "routing_engine minhop\n")
    manager = scene.manager

    counter = int(time.time()) + 1000
    source = os.path.join(manager.directory, "next.conf")

    def Turn(text, said):
        nonlocal counter
        counter += 1
        with open(source, "w", encoding="utf-8") as file:
            file.write(base + text)
        done = subprocess.run(
            [context.tools.Program("emberc"), "compile", "--no-default-files", source, "-o",
             os.path.join(manager.directory, "config.blob"), "--key",
             os.path.join(manager.directory, "key.pem"), "--counter", str(counter)],
            capture_output=True, text=True, check=False)
        Expect(done.returncode == 0, "emberc: %s", done.stderr)
        Expect("accepted" in manager.Control("reload"), "emberctl does not say that it is accepted")
        end = time.monotonic() + 30
        while not manager.HasSaid(said):
            Expect(time.monotonic() < end and manager.IsRunning(), "the log does not say %s", said)
            time.sleep(0.1)
        manager.WaitQuiet()
        scene.subnet = context.Read(scene.node)
        scene.subnet.Check(APART)

    Turn(Chain(context, STEPS[2], name="two"), "unicast-step 2 is routed by updn")
    Turn(Chain(context, STEPS[4], name="four"), "unicast-step 4 is routed by minhop")
    Turn(Chain(context, (("minhop", 0), ("dfsssp", 2)), name="lanes") + "chain_lanes TRUE\n",
         "unicast-step 2 is routed by dfsssp")
    for switch in ("S-edge1.0", "S-mid2.1"):
        cable = scene.SwitchCable(switch)
        context.simulator.Unlink(*cable)
        scene.AwaitHealth({cable})
        context.simulator.Relink(*cable)
        scene.AwaitHealth()
    Expect(manager.IsRunning(), "the manager ended")
    context.Note("%d log lines", manager.Log().count("\n"))
