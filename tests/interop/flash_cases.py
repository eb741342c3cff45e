# SPDX-License-Identifier: Apache-2.0
# EmberSM: cases: what survives lies in flash memory, and the manager is killed at random moments.
import os
import random
import signal
import subprocess
import time

from cases import Named
from checks import Expect
from supervisor_cases import Await, Bench

FLASH_BYTES = 4 << 20


def MakeFlash(context, octets=b""):
    """A file in the directory in which the manager will run."""
    directory = os.path.join(context.directory, "sm")
    os.makedirs(directory, exist_ok=True)
    path = os.path.join(directory, "flash")
    with open(path, "wb") as file:
        file.write(octets)
        file.truncate(FLASH_BYTES)
    return path


@Named("flash.kill", kinds=("embersm",))
def Kill(context):
    """In flash memory, killed at random moments while configurations come in: the same LIDs, the
    last configuration confirmed and nothing older after it, a bad one rolled back."""
    path = MakeFlash(context)
    bench = Bench(context, "--flash", "flash")
    manager = bench.manager
    lids = context.Read(bench.node).LidsByGuid()
    manager.options["as_is"] = True
    draw, up = random.Random(20261122), 0
    for turn in range(10):
        bench.Compile(Bench.TEXT % (turn + 2))
        manager.Kill()
        manager.Start()
        time.sleep(draw.uniform(0, 1.5))
        Expect(manager.IsRunning(), "start %d ended with status %s", turn, manager.process.poll())
        up += manager.HasSaid("SUBNET UP")
    manager.Kill()
    manager.Start().WaitUp()
    Await(manager, "configuration %d is confirmed" % bench.counter)
    manager.WaitQuiet()
    subnet = context.Read(bench.node)
    subnet.Check()
    Expect(subnet.LidsByGuid() == lids, "a LID changed")
    good = bench.counter
    bench.counter = good - 3
    bench.Compile(Bench.TEXT % 3)
    manager.Kill()
    manager.Start().WaitUp()
    configuration = bench.Configuration()
    Expect("older" in configuration["sentence"], "status says %s", configuration)
    Expect(configuration["trial"]["counter"] == good, "in force is %s", configuration)

    bench.counter = good
    bench.Compile("order opensm\nsweep_interval 0\n")  # Confirmed after 10 s at the earliest.
    manager.process.send_signal(signal.SIGHUP)
    Await(manager, "configuration %d is on trial" % bench.counter)
    for _ in range(2):
        manager.Kill()
        manager.Start().WaitUp()
    configuration = bench.Configuration()
    context.Note("ten starts killed, %d of them with the subnet up; %s", up,
                 configuration["sentence"])
    Expect("was rolled back" in configuration["sentence"], "status says %s", configuration)
    Expect(configuration["trial"]["counter"] == good, "in force is %s", configuration)
    subnet = context.Read(bench.node)
    subnet.Check()
    Expect(subnet.LidsByGuid() == lids, "a LID changed")
    state = os.listdir(os.path.join(manager.directory, "state"))
    Expect(all(name.startswith("sa-journal") for name in state), "in files are %s", state)
    with open(path, "rb") as flash:
        Expect(flash.read(4) == b"EMFA", "the flash has no label")


def Run(context, *flags):
    """On a fabric of its own, until the subnet is up; the status and what it said."""
    done = subprocess.run(
        [context.tools.Program("embersm"), "--sim=ft2:4", "--once", "--log", "error", *flags],
        capture_output=True, text=True, timeout=60, check=False)
    return done.returncode, done.stderr


@Named("flash.owner", kinds=("embersm",))
def Owner(context):
    """What holds something else is left alone, what is ours belongs to one process at a time."""
    letters = os.urandom(5000)
    path = MakeFlash(context, letters)
    status, said = Run(context, "--flash", path)
    Expect(status == 6 and "holds something else" in said, "status %d: %s", status, said)
    with open(path, "rb") as file:
        Expect(file.read(5000) == letters and not any(file.read()), "it was written to")
    status, said = Run(context, "--flash", path + ":1M:2M")
    Expect(status == 0 and "was blank, and was formatted" in said, "status %d: %s", status, said)
    with open(path, "rb") as file:
        Expect(file.read(5000) == letters and not any(file.read((1 << 20) - 5000)),
               "it was written to in front of the part")
        file.seek(3 << 20)
        Expect(not any(file.read()), "it was written to behind the part")
    status, said = Run(context, "--flash", path, "--format-flash")
    Expect(status == 0 and "was erased and formatted" in said, "status %d: %s", status, said)
    status, said = Run(context, "--flash", path)
    Expect(status == 0 and "format" not in said, "status %d: %s", status, said)
    first = subprocess.Popen(
        [context.tools.Program("embersm"), "--sim=ft2:4", "--log", "error", "--flash", path],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        first.stdout.readline()  # Of the summary: the subnet is up.
        status, said = Run(context, "--flash", path)
        Expect(status == 6 and "in use by another process" in said, "status %d: %s", status, said)
    finally:
        first.kill()
        first.communicate()
    status, said = Run(context, "--flash", path)
    Expect(status == 0, "after a kill: status %d: %s", status, said)
