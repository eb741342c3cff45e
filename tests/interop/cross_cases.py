# SPDX-License-Identifier: Apache-2.0
# EmberSM: cases: an embersm for another processor, emulated, manages a subnet on this one's ibsim.
import functools
import os
import subprocess

import checks
import managers
from cases import Add
from checks import Expect
from context import HERE, ROOT

# Targets of this machine's byte order: ibsim and its clients speak in that of the machine.
TARGETS = ("arm64", "armhf")


class CrossEmberSm(managers.EmberSm):
    """The embersm of build/TARGET under QEMU, with our preload built for that target."""

    def __init__(self, context, node, target, **options):
        super().__init__(context, node, target, **options)
        self.build = os.path.join(ROOT, "build", target)
        said = {}
        with open(os.path.join(self.build, "CMakeCache.txt"), encoding="utf-8") as cache:
            for line in cache:
                name, _, value = line.strip().partition("=")
                said[name.partition(":")[0]] = value
        self.emulator = said["EMBER_EMULATOR"].split(";")
        self.sysroot, self.compiler = self.emulator[-1], said["EMBER_CROSS_CC"]
        self.preload = os.path.join(self.directory, "simumad.so")
        done = subprocess.run(
            [self.compiler, "--sysroot=" + self.sysroot, "-O2", "-Wall", "-Wextra", "-shared",
             "-fPIC", "-o", self.preload, os.path.join(HERE, "simumad.c"), "-ldl", "-lpthread"],
            capture_output=True, text=True, check=False)
        Expect(done.returncode == 0, "the preload does not compile: %s", done.stderr[-300:])

    def _SpawnAs(self, command, environment):
        # QEMU is linked statically: the preload takes effect in the program that it emulates only.
        program = os.path.join(self.build, "bin", os.path.basename(command[0]))
        if "SIM_HOST" in environment:  # Else the chip at its mailbox, a native program, is the client.
            environment = dict(environment, LD_PRELOAD=self.preload)
        return super()._SpawnAs([*self.emulator, program, *command[1:]], environment)


def Take(context, net, start):
    """A fresh subnet as `start(node)` leaves it."""
    context.Simulate(net)
    manager = start(context.Seat(context.simulator.hosts[0].name))
    node = manager.node
    seconds = manager.WaitUp(120)
    manager.WaitQuiet()
    subnet = context.Read(node)
    subnet.Check()
    checks.CheckSminfo(context, subnet, context.Witness(node), node)
    # Which end of a cable is asked first, and so how often a NodeInfo, is a matter of speed.
    sets = {what: n for what, n in manager.traffic().Named().items() if what.startswith("Set")}
    manager.Stop()
    return subnet, sets, seconds


def Cross(target, context):
    """An emulated embersm brings up a subnet on ibsim: its LIDs, tables and Sets are native's."""
    for net in ("ft3-k8", "random"):
        here, native_sets, _ = Take(context, net, context.Manage)
        there, sets, seconds = Take(
            context, net, lambda node: CrossEmberSm(context, node, target).Start())
        Expect(there.LidsByGuid() == here.LidsByGuid(), "%s: other LIDs than native", net)
        Expect(there.TablesByGuid() == here.TablesByGuid(), "%s: other tables than native", net)
        Expect(there.tops == here.tops, "%s: other LinearFDBTops than native", net)
        Expect(sets == native_sets, "%s: sent were %s, native sent %s", net, sets, native_sets)
        context.Note("%s up in %.1f s: %d LIDs, %d tables and %d Sets are native's", net, seconds,
                     len(there.lids), len(there.tables), sum(sets.values()))


for _target in TARGETS:  # Whoever built for the target has these cases.
    if os.access(os.path.join(ROOT, "build", _target, "bin", "embersm"), os.X_OK):
        Add("cross." + _target, functools.partial(Cross, _target), False, 300, ("embersm",))
