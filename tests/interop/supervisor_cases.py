# SPDX-License-Identifier: Apache-2.0
# EmberSM: cases: the manager panics, crashes, hangs, is killed, and comes back; trials of configurations.
import os
import signal
import subprocess
import time

import ibsim
from cases import Named
from checks import Expect

FLAGS = ("--supervise", "--hang-timeout", "3")


def Child(manager, timeout_s=15, not_this=0):
    """The process that a supervisor runs; not the one before it."""
    path = "/proc/%d/task/%d/children" % (manager.process.pid, manager.process.pid)
    end = time.monotonic() + timeout_s
    while True:
        with open(path, encoding="ascii") as children:
            found = [int(word) for word in children.read().split() if int(word) != not_this]
        if found:
            return found[0]
        Expect(manager.IsRunning(), "the supervisor ended with status %s", manager.process.poll())
        Expect(time.monotonic() < end, "no process was started for %d s", timeout_s)
        time.sleep(0.02)


def Await(manager, words, timeout_s=60):
    end = time.monotonic() + timeout_s
    while not manager.HasSaid(words):
        Expect(manager.process.poll() is None, "it ended with status %s", manager.process.poll())
        Expect(time.monotonic() < end, "it never said \"%s\"", words)
        time.sleep(0.02)


def Find(manager, words, start):
    """Waits until the log has these words behind place `start`; the place behind them. What one
    life of the manager says is not taken for what the next one does."""
    end = time.monotonic() + 60
    while (found := manager.Log().find(words, start)) < 0:
        Expect(time.monotonic() < end, "in vain: %s", words)
        time.sleep(0.05)
    return found + len(words)


class Wire:
    """What was sent and answered, from the file of the capture tool, from an octet of it on.

    A Set is unneeded when it asks for what the last reading of that attribute said already. ibsim
    does not store the octets FORGOTTEN of PortInfo (M_KeyLeasePeriod, LinkWidthEnabled,
    NeighborMTU, SubnetTimeOut, LocalPhyErrors and OverrunErrors), so that a manager finds them
    wrong whenever it looks.
    """

    FORGOTTEN = {26, 27, 29, 35, 51, 53}
    REQUEST, ANSWER = {1: "Get", 2: "Set"}, 0x81

    def __init__(self, path, first):
        asked, self.readings, self.sets, self.unneeded, self.fields = {}, {}, {}, 0, set()
        with open(path, encoding="ascii") as lines:
            lines.seek(first)
            for line in lines:
                verb, _, lid, _, _, text = line.split()
                mad = bytes.fromhex(text)
                if mad[1] not in (0x01, 0x81):
                    continue
                transaction, where = mad[12:16], self.Where(mad, lid)
                if verb == "send" and mad[3] in Wire.REQUEST:
                    asked[transaction] = where
                    if mad[3] == 2:
                        self.Judge(where, mad)
                elif verb == "recv" and mad[3] == Wire.ANSWER and transaction in asked:
                    self.readings[asked[transaction]] = mad[64:128]

    @staticmethod
    def Where(mad, lid):
        """The attribute of one port or table: by the route, or by the LID."""
        attribute = int.from_bytes(mad[16:18], "big")
        # Of PortInfo the first bit says only that the asker knows of extended speeds.
        modifier = mad[23:24] if attribute == ibsim.PORT_INFO else mad[20:24]
        return attribute, modifier, mad[128:129 + mad[7]] if mad[1] == 0x81 else int(lid)

    def Judge(self, where, mad):
        attribute = int.from_bytes(mad[16:18], "big")
        self.sets[attribute] = self.sets.get(attribute, 0) + 1
        Expect(where in self.readings, "attribute 0x%x was set without a look", attribute)
        wanted, found = bytearray(mad[64:128]), bytearray(self.readings[where])
        if attribute == ibsim.PORT_INFO:  # States: 0 changes nothing.
            wanted[32], found[32] = wanted[32] & 0xF0, found[32] & 0xF0
            wanted[33], found[33] = wanted[33] & 0x0F, found[33] & 0x0F
            wanted[29] = wanted[29] or found[29]  # So does a width of 0.
        different = {octet for octet in range(64) if wanted[octet] != found[octet]}
        self.fields |= different
        self.unneeded += not different


def TakeOver(context, how, number, says):
    """Ends the running process so; returns what was sent until the subnet was up and quiet again."""
    simulator = context.Simulate("ft3-k8")
    node = simulator.hosts[0].name
    # A crash is to end it as it ends a program that is built without the sanitizer.
    manager = context.Manage(node, flags=FLAGS, mailbox=None, capture="wire", asan="handle_segv=0")
    manager.WaitUp()
    manager.WaitQuiet()
    wire = os.path.join(manager.directory, "wire")
    first = os.path.getsize(wire)
    before = context.Read(node)
    before.Check()
    child, sent = Child(manager), manager.traffic()
    begun = time.monotonic()
    os.kill(child, number)
    Await(manager, says)
    fresh = Child(manager, not_this=child)
    simulator.ForgetTheDead()
    Await(manager, "SUBNET UP")
    seconds = time.monotonic() - begun
    manager.WaitQuiet()
    Expect(Child(manager) == fresh, "it was started more than once")
    after, now = context.Read(node), manager.traffic()
    after.Check()
    Expect(after.LidsByGuid() == before.LidsByGuid(), "a LID changed")
    Expect(after.BlocksThatDiffer(before) == 0, "a route changed")
    sets = {name: count - sent.Named().get(name, 0) for name, count in now.Named().items()
            if name.startswith("Set(")}
    sets = {name: count for name, count in sets.items() if count}
    judge = Wire(wire, first)
    context.Note("%s: up again after %.1f s, %d Gets, Sets: %s, unneeded: %d, for octets %s of it",
                 how, seconds, now.Requests() - now.Sets() - sent.Requests() + sent.Sets(),
                 sets or "none", judge.unneeded, sorted(judge.fields))
    Expect(sum(judge.sets.values()) == sum(sets.values()), "counted were %s, captured %s", sets,
           judge.sets)
    Expect(judge.unneeded == 0, "after %s %d Sets changed nothing", how, judge.unneeded)
    Expect(set(judge.sets) <= {ibsim.PORT_INFO} and judge.fields <= Wire.FORGOTTEN,
           "after %s it wrote octets %s of attributes %s", how, judge.fields, list(judge.sets))
    manager.process.terminate()
    Expect(manager.process.wait(15) == 0, "the supervisor's status is %d", manager.process.returncode)
    Expect(not os.path.exists("/proc/%d" % fresh), "the subnet manager outlives its supervisor")


@Named("supervisor.panic", kinds=("embersm",))
def Panic(context):
    """SIGABRT, as a panic ends: started again, and nothing at all is set in the subnet."""
    TakeOver(context, "a panic", signal.SIGABRT, "the process before was ended by signal 6")


@Named("supervisor.crash", kinds=("embersm",))
def Crash(context):
    """SIGSEGV: started again, and nothing at all is set in the subnet."""
    TakeOver(context, "a crash", signal.SIGSEGV, "the process before was ended by signal 11")


@Named("supervisor.kill", kinds=("embersm",))
def Kill(context):
    """SIGKILL: started again, and nothing at all is set in the subnet."""
    TakeOver(context, "a kill", signal.SIGKILL, "the process before was ended by signal 9")


@Named("supervisor.hang", kinds=("embersm",))
def Hang(context):
    """SIGSTOP, as a hang: noticed by its silence, ended, started again, and nothing is set."""
    TakeOver(context, "a hang", signal.SIGSTOP, "gave no sign of life for 3 s")


@Named("supervisor.orphan", kinds=("embersm",))
def Orphan(context):
    """The supervisor is killed: the subnet manager ends too, and holds no port."""
    simulator = context.Simulate("single-switch")
    manager = context.Manage(simulator.hosts[0].name, flags=FLAGS)
    manager.WaitUp()
    child = Child(manager)
    manager.Kill()
    end = time.monotonic() + 15
    while os.path.exists("/proc/%d" % child):
        Expect(time.monotonic() < end, "it still runs after 15 s")
        time.sleep(0.05)


class Bench:
    """A manager whose configuration is compiled anew, with rising counters."""

    def __init__(self, context, *flags, net="ft2-k8", text=None, **options):
        self.context, self.counter = context, int(time.time()) + 1000
        self.simulator = context.Simulate(net)
        self.node = self.simulator.hosts[0].name
        self.manager = context.Manage(self.node, flags=flags,
                                      configuration=text or Bench.TEXT % 1, **options)
        self.manager.WaitUp()
        Await(self.manager, "is confirmed")

    TEXT = "order opensm\nsweep_interval %d\n"

    def Compile(self, text):
        directory = self.manager.directory
        path = os.path.join(directory, "opensm.conf")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        self.counter += 1
        done = subprocess.run(
            [self.context.tools.Program("emberc"), "compile", "--no-default-files", path,
             "-o", os.path.join(directory, "config.blob"), "--key", os.path.join(directory, "key.pem"),
             "--counter", str(self.counter)], capture_output=True, text=True, check=False)
        Expect(done.returncode == 0, "emberc: %s", done.stderr[-300:])

    def Configuration(self):
        return self.manager.Status()["configuration"]


@Named("supervisor.trial-confirmed", kinds=("embersm",))
def TrialConfirmed(context):
    """A configuration that brings the subnet up is confirmed; then an older one is refused."""
    bench = Bench(context)
    bench.Compile(Bench.TEXT % 2)
    bench.manager.process.send_signal(signal.SIGHUP)
    Await(bench.manager, "configuration %d is on trial" % bench.counter)
    Await(bench.manager, "configuration %d is confirmed" % bench.counter)
    trial = bench.Configuration()["trial"]
    Expect(trial["confirmed"] == 2 and not trial["under_way"], "status says %s", trial)
    bench.counter -= 2
    bench.Compile(Bench.TEXT % 3)
    bench.manager.process.send_signal(signal.SIGHUP)
    Await(bench.manager, "configuration refused")


@Named("supervisor.no-device", kinds=("embersm",))
def NoDevice(context):
    """Without a device the program waits for one, says so once, and ends when it is told to."""
    if os.path.isdir("/sys/class/infiniband") and os.listdir("/sys/class/infiniband"):
        context.Note("skipped: this machine has a device")
        return
    state = os.path.join(context.directory, "state")
    with subprocess.Popen([context.tools.Program("embersm"), "--state-dir", state, "--no-socket"],
                          stderr=subprocess.PIPE, text=True) as process:
        try:
            time.sleep(3.5)
            Expect(process.poll() is None, "it ended with status %s", process.poll())
            process.send_signal(signal.SIGTERM)
            _, said = process.communicate(timeout=5)
        finally:
            process.kill()
    Expect(process.returncode == 0, "it ended with status %s: %s", process.returncode, said)
    Expect(said.count("waiting until there is one") == 1, "it said %s", said)


@Named("supervisor.trial-died", kinds=("embersm",))
def TrialDied(context):
    """Killed twice with a configuration on trial, the manager goes back to the last good one."""
    # No mailbox: the emulated chip ends with its host, and nobody would start it again.
    bench = Bench(context, "--supervise", "--hang-timeout", "10", mailbox=None)
    manager, good = bench.manager, bench.Configuration()["trial"]["counter"]
    bench.Compile("order opensm\nsweep_interval 0\n")  # Confirmed after 10 s at the earliest.
    manager.process.send_signal(signal.SIGHUP)
    trial = "configuration %d is on trial" % bench.counter
    said = Find(manager, trial, 0)
    for words in (trial, "rolled back to configuration %d [trial-died]" % good):
        child = Child(manager)
        os.kill(child, signal.SIGKILL)
        Child(manager, not_this=child)
        bench.simulator.ForgetTheDead()
        said = Find(manager, words, said)
    Find(manager, "SUBNET UP", said)
    configuration = bench.Configuration()
    context.Note("%s", configuration["sentence"])
    Expect(configuration["trial"]["counter"] == good, "in force is %s", configuration)
    Expect("was rolled back" in configuration["sentence"], "status says %s", configuration)


@Named("supervisor.trial-deadline", kinds=("embersm",),
       hosts_only="port 0 of a switch has no cable that could be unplugged")
def TrialDeadline(context):
    """A configuration with which the subnet does not come up is rolled back at its deadline.

    What keeps it from coming up is the manager's own cable, which is pulled meanwhile.
    """
    bench = Bench(context, "--trial-deadline", "4")
    manager, good = bench.manager, bench.Configuration()["trial"]["counter"]
    bench.Compile(Bench.TEXT % 2)
    bench.simulator.Unlink(bench.node)
    manager.process.send_signal(signal.SIGHUP)
    Await(manager, "configuration %d is on trial" % bench.counter)
    begun = time.monotonic()
    Await(manager, "within 4 s: rolled back to configuration %d" % good)
    context.Note("rolled back after %.1f s", time.monotonic() - begun)
    bench.simulator.Relink(bench.node)
    Await(manager, "SUBNET UP")
    context.Read(bench.node).Check()
    configuration = bench.Configuration()
    Expect(configuration["trial"]["counter"] == good and configuration["trial"]["failed"] == 1,
           "status says %s", configuration)
    manager.Kill()
    manager.options["as_is"] = True  # The file still holds the bad one.
    manager.Start().WaitUp()
    configuration = bench.Configuration()
    Expect("was rolled back" in configuration["sentence"], "status says %s", configuration)
    Expect(configuration["trial"]["counter"] == good, "in force is %s", configuration)
