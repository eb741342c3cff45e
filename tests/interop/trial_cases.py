# SPDX-License-Identifier: Apache-2.0
# EmberSM: cases: a configuration is confirmed by routes of its own, exit statuses and the first line
# of the status tell the truth, and the key guid binds to the port it names.
import os
import subprocess
import time

import nets
from cases import Named
from checks import Expect
from supervisor_cases import Await, Bench

# Exit statuses as embersm --help lists them.
NOT_UP, DEVICE, PERMISSION, OCCUPIED, TOO_LARGE, CREDIT_LOOP, KEPT, SAFE = 1, 3, 4, 5, 7, 8, 9, 10


NET = "ft3-k8"


def AllAreRoots(context, fallback=""):
    """Lines of a configuration whose engine refuses every fabric of more than one switch."""
    path = os.path.join(context.directory, "roots")
    with open(path, "w", encoding="utf-8") as file:
        file.write("".join("0x%016x\n" % node.guid for node in context.simulator.switches))
    return "order opensm\nrouting_engine ftree%s\nroot_guid_file %s\n" % (
        fallback, os.path.abspath(path))


def Headline(manager):
    return manager.Control("status").splitlines()[0]


def Until(manager, condition, what, timeout_s=30):
    """Until the status is so."""
    end, status = time.monotonic() + timeout_s, {}
    while not condition(status := manager.Status()):
        Expect(time.monotonic() < end, "in vain: %s; %s", what, status["configuration"])
        time.sleep(0.1)
    return status


def Once(context, *arguments, environment=None):
    """embersm --once; its exit status and what it said on both channels."""
    done = subprocess.run([context.tools.Program("embersm"), "--once", *arguments],
                          cwd=context.directory, capture_output=True, text=True, timeout=100,
                          env=environment, check=False)
    return done.returncode, done.stdout + done.stderr


@Named("trial.unrouted", kinds=("embersm",), timeout_s=180)
def Unrouted(context):
    """A list of engines that cannot route the fabric is rolled back, though the subnet is up with the
    tables of before; a fabric that has lost its power then comes up with the list of before."""
    base = "sweep_interval 2\n"
    bench = Bench(context, "--trial-deadline", "8", net=NET, text=base)
    manager, good = bench.manager, bench.Configuration()["trial"]["counter"]
    engine = manager.Status()["routing"]["engine"]
    bench.Compile(base + AllAreRoots(context))
    told = manager.Control("reload")
    Expect("accepted" in told and "restart" not in told, "reload says %s", told)
    configuration = Until(
        manager, lambda status: status["configuration"]["trial"].get("waits_for") == "own routes",
        "the tables are kept")["configuration"]
    Expect("KEPT TABLES" in Headline(manager), "the status begins %s", Headline(manager))
    Expect("no engine of its list could route" in configuration["sentence"], "it says %s",
           configuration["sentence"])
    Await(manager, "no engine of configuration %d could route the fabric within 8 s" % bench.counter)
    Until(manager, lambda status: status["condition"] == "up" and
          status["routing"]["engine"] == engine, engine + " is in force again")
    Expect("configuration %d is confirmed" % bench.counter not in manager.Log(), "it is confirmed")
    Expect(bench.Configuration()["trial"]["counter"] == good, "in force is %s",
           bench.Configuration())
    context.Simulate(NET)  # As after a loss of power: no table is left.
    again = context.Manage(bench.node, as_is=True, files=manager.files)  # Of the one that failed.
    context.Note("up %.1f s after the power came back", again.WaitUp())
    Expect(again.Status()["routing"]["engine"] == engine, "it is not up with %s", engine)
    Expect(Headline(again).startswith("SUBNET UP: MASTER"), "the status begins %s", Headline(again))
    context.Read(bench.node).Check()


@Named("trial.restart-keys", kinds=("embersm",))
def RestartKeys(context):
    """The answer of `reload`, the status and the log name the keys that take a restart."""
    bench = Bench(context)
    bench.Compile(Bench.TEXT % 2 + "sm_inactive TRUE\n")
    told = bench.manager.Control("reload")
    Expect("sm_inactive has changed, which takes a restart" in told, "reload says %s", told)
    Await(bench.manager, "the key sm_inactive has changed; it takes a restart")
    Expect(bench.Configuration()["restart_needed"] == ["sm_inactive"], "status says %s",
           bench.Configuration())


@Named("exit-status.once", kinds=("embersm",), timeout_s=180)
def ExitStatuses(context):
    """--once ends with 8 when a credit loop is possible, 7 when the fabric is larger than the board, 9
    when tables are kept, 10 by the safe routing, 1 where that is forbidden, and says so in its first
    line."""
    status, said = Once(context, "--sim=ft2:8")
    Expect(status == 0 and said.splitlines()[-1] and "SUBNET UP\n" in said, "%d: %s", status, said)
    directory = os.path.join(context.directory, "minhop")
    os.makedirs(directory)
    blob, key = context.tools.Compile(directory, "routing_engine minhop\n")
    status, said = Once(context, "--sim=torus:4x4x4", "--blob", blob, "--public-key", key)
    Expect(status == CREDIT_LOOP and "SUBNET UP, BUT A CREDIT LOOP IS POSSIBLE\n" in said,
           "%d: %s", status, said[-400:])
    large = nets.Net()
    hubs = [large.Switch("hub%d" % i, 250) for i in range(8)]
    for one, other in zip(hubs, hubs[1:]):
        large.Cable(one, other)
    for i in range(1856):
        large.Cable(large.Switch("leaf%d" % i, 2), hubs[i // 232])
    large.Host("one", "S-leaf0")
    path = os.path.join(context.directory, "large.net")
    with open(path, "w", encoding="utf-8") as file:
        file.write(large.Text())
    status, said = Once(context, "--sim=" + path, "--log", "warning")
    Expect(status == TOO_LARGE and "UP FOR 1792 OF 18" in said and said.find("\nSUBNET UP") < 0,
           "%d: %s", status, said[-400:])
    context.Note("%s", said.splitlines()[-1])

    simulator = context.Simulate(NET)
    node = simulator.hosts[0].name
    manager = context.Manage(node, configuration="order balanced\n")
    manager.WaitUp()
    manager.WaitQuiet()
    manager.Stop()
    directory = os.path.join(context.directory, "updn")
    os.makedirs(directory)
    blob, key = context.tools.Compile(directory, AllAreRoots(context))
    status, said = Once(context, "--umad", "--blob", blob, "--public-key", key,
                        environment=simulator.Environment(node, context.tools.preload))
    Expect(status == KEPT and "SUBNET UP WITH KEPT TABLES" in said, "%d: %s", status, said[-400:])

    for fallback, wanted, says in (("", SAFE, "SUBNET UP BY THE SAFE ROUTING"),
                                   (",no_fallback", NOT_UP, "the subnet did not come up")):
        simulator = context.Simulate(NET)  # No switch holds a table.
        blob, key = context.tools.Compile(directory, AllAreRoots(context, fallback))
        status, said = Once(context, "--umad", "--blob", blob, "--public-key", key,
                            environment=simulator.Environment(node, context.tools.preload))
        Expect(status == wanted and says in said.splitlines()[-1], "%d: %s", status, said[-400:])


@Named("exit-status.device", kinds=("embersm",), hosts_only="it is about umad")
def Device(context):
    """A port that may not be opened ends embersm with 4, and one that another subnet manager holds
    with 5; the last line names the port and what helps."""
    simulator = context.Simulate(NET)
    for refused, wanted, helps in (("open", PERMISSION, "run as root"),
                                   ("agent", OCCUPIED, "stop it first")):
        environment = simulator.Environment(simulator.hosts[0].name, context.tools.preload,
                                            SIMUMAD_REFUSES=refused)
        status, said = Once(context, "--umad", environment=environment)
        Expect(status == wanted and "port 1" in said and helps in said, "%d: %s", status, said)
        context.Note("%s", said.splitlines()[-1])


@Named("exit-status.stand-by", kinds=("embersm",),
       hosts_only="it runs at a host beside the manager")
def StandBy(context):
    """A stand-by names its master, in the state that polls tell; --once ends well."""
    simulator = context.Simulate("ft2-k8")
    theirs = context.Manage(simulator.hosts[3].name, "theirs", kind="opensm", priority=5,
                            configuration="sweep_interval 3\n")
    theirs.WaitUp()
    ours = context.Manage(simulator.hosts[0].name, "ours",
                          configuration="sminfo_polling_timeout 1000\nsm_priority 1\n")
    Await(ours, "-> STANDBY")
    time.sleep(3)
    first = Headline(ours)
    Expect(first.startswith("standing by for " + simulator.hosts[3].name) and
           "(MASTER, priority 5, polled " in first, "the status begins %s", first)
    others = ours.Status()["other_sms"]
    Expect([other["state"] for other in others] == ["MASTER"], "status says %s", others)
    ours.Stop()
    status, said = Once(context, "--umad", environment=simulator.Environment(
        simulator.hosts[0].name, context.tools.preload))
    Expect(status == 0 and "embersm: standing by for " + simulator.hosts[3].name in said,
           "%d: %s", status, said[-400:])
    context.Note("%s", first)


@Named("guid.key", kinds=("embersm",), hosts_only="a switch has one port to sit at")
def Key(context):
    """The key guid binds to the port that it names, or embersm says which there are; --guid wins; a
    trial of a port that is not there is given up."""
    simulator = context.Simulate("ft2-k8")
    node = simulator.hosts[0]
    here = simulator.Environment(node.name, context.tools.preload)
    directory = os.path.join(context.directory, "keys")
    os.makedirs(directory)

    def Start(guid, *flags):
        blob, key = context.tools.Compile(directory, "guid 0x%016x\n" % guid)
        return Once(context, "--umad", "--blob", blob, "--public-key", key, *flags,
                    environment=here)

    here_guid = node.PortGuid(1)  # The only one that the simulator shows to its client.
    status, said = Start(here_guid)
    Expect(status == 0 and "started at 0x%016x" % here_guid in said, "%d: %s", status, said[-400:])
    status, said = Start(0x1234)
    Expect(status == DEVICE and "no local port with port GUID 0x0000000000001234" in said and
           "port 1 (0x%016x)" % here_guid in said and "key guid" in said,
           "%d: %s", status, said)
    context.Note("%s", said.splitlines()[-1])
    status, said = Start(0x1234, "--guid", "0x%x" % here_guid)
    Expect(status == 0 and "started at 0x%016x" % here_guid in said, "%d: %s", status, said[-400:])

    kept = ("--state-dir", "state")
    status, said = Start(here_guid, *kept)
    Expect(status == 0, "%d: %s", status, said[-400:])
    time.sleep(1.1)  # The counter of a blob is the second in which it is made.
    status, said = Start(0x1234, *kept)
    for _ in range(2):
        Expect(status == DEVICE, "%d: %s", status, said[-400:])
        status, said = Once(context, "--umad", "--blob", os.path.join(directory, "config.blob"),
                            "--public-key", os.path.join(directory, "key.pub"), *kept,
                            environment=here)
    Expect(status == 0 and "rolled back" in said, "%d: %s", status, said[-400:])


@Named("guid.simulated", kinds=("embersm",))
def Simulated(context):
    """The same in the simulation."""
    status, said = Once(context, "--sim=ft2:4", "--guid", "0x100003")
    Expect(status == 0 and "started at 0x0000000000100003" in said, "%d: %s", status, said[-300:])
    status, said = Once(context, "--sim=ft2:4", "--guid", "0x1234")
    Expect(status == DEVICE and "there is 0x" in said and " more" in said, "%d: %s", status, said)
    directory = os.path.join(context.directory, "keys")
    os.makedirs(directory)
    blob, key = context.tools.Compile(directory, "guid 0x100005\n")
    status, said = Once(context, "--sim=ft2:4", "--blob", blob, "--public-key", key)
    Expect(status == 0 and "started at 0x0000000000100005" in said, "%d: %s", status, said[-300:])
