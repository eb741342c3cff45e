# SPDX-License-Identifier: Apache-2.0
# EmberSM: cases: osmtest, the OpenSM project's own test of a subnet administrator.
"""Each flow that OpenSM passes over ibsim passes. The first flow writes the inventory that the
others are held against; the whole run uses one subnet manager, so each flow finds what those before
it left behind."""
import functools
import os
import subprocess
import time

import ibsim
from cases import Add, Named
from checks import Expect

FLOWS = (
    ("inventory", "-f c"), ("validation", "-f v"), ("services", "-f s"), ("QoS tables", "-f q"),
    ("events", "-f e"), ("multicast", "-f m -M 2"), ("multicast, all groups", "-f m -M 4"),
    ("flood, single answers", "-f f -s 1"), ("flood, answers in segments", "-f f -s 2"),
    ("flood, multicast", "-f f -s 3"), ("all", "-f a"),
)


def Osmtest(context, options, timeout_s=400, wait=True):
    """osmtest at a host where nobody else is -> (status, what it printed), or the process."""
    node = context.Witness(context.simulator.hosts[0].name)
    environment = context.simulator.Environment(
        node, context.tools.preload, OSM_TMP_DIR=context.directory, OSM_CACHE_DIR=context.directory)
    log = os.path.join(context.directory, "osmtest.log")
    process = subprocess.Popen(
        ["osmtest", "-i", "osmtest.dat", "-l", log, *options.split()], cwd=context.directory,
        env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, preexec_fn=ibsim.DieWithParent)
    if not wait:
        return process
    try:
        output, _ = process.communicate(timeout=timeout_s)
    except subprocess.TimeoutExpired:
        process.kill()
        output, _ = process.communicate()
        return None, output
    return process.returncode, output


def Flows(net, context):
    """Inventory, validation, services, QoS, events, multicast, floods, and all of them: PASS."""
    simulator = context.Simulate(net)
    # It joins on behalf of other ports, and its floods come from one port.
    ours = "sa_allow_proxies TRUE\nsa_max_requests_per_source 0\n"
    manager = context.Manage(simulator.hosts[0].name,
                             configuration=ours if context.kind == "embersm" else "")
    manager.WaitUp()
    # A flood is told by ibsim, and through a mailbox each datagram passes one more process.
    limit_s = 800 if context.tools.through_mailbox else 400
    for name, options in FLOWS:
        began = time.monotonic()
        status, output = Osmtest(context, options, limit_s)
        Expect(status == 0 and "PASS" in output, "osmtest %s (%s): status %s: %s", options, name,
               status, " / ".join(line for line in output.splitlines() if "ERR" in line)[-600:]
               or output[-300:])
        context.Note("%s %.1f s", name, time.monotonic() - began)
    Expect(manager.IsRunning(), "the subnet manager ended")


for _net, _short in (("ft2-k8", True), ("ft3-k8", False)):
    Add("osmtest.%s" % _net, functools.partial(Flows, _net), short=_short, timeout_s=3000)


@Named("osmtest.trap-64-65", timeout_s=180)
def TrapFlow(context):
    """A subscriber hears of a host that goes (trap 65) and returns (trap 64)."""
    simulator = context.Simulate("ft2-k8")
    context.Manage(simulator.hosts[0].name).WaitUp()
    gone = simulator.hosts[2]
    process = Osmtest(context, "-f t -w 40", wait=False)
    try:
        time.sleep(4)  # It subscribes, and prints when it has.
        simulator.Unlink(gone.name, 1)
        time.sleep(8)
        simulator.Relink(gone.name, 1)
        output, _ = process.communicate(timeout=120)
    finally:
        if process.poll() is None:
            process.kill()
    Expect(process.returncode == 0 and "PASS" in output, "status %s: %s", process.returncode,
           output[-600:])
