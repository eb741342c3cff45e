# SPDX-License-Identifier: Apache-2.0
# EmberSM: two managers with one replication_key over ibsim: the second takes the subnet over.
import os
import time

import checks
import over_ibsim
from context import Context

TAKEOVER_S = 15


def Run(attempt, tools, blob):
    site, programs = attempt.site, attempt.programs
    call = "over ibsim: cd %s; two managers with %s" % (site.folder, blob)
    context = Context(os.path.join(site.folder, "ibsim"), tools, "embersm")
    try:
        simulator = context.Simulate(over_ibsim.Netlist(os.path.join(site.folder, "plain.net")))
        files = (os.path.join(site.folder, blob), programs.public)
        limit_s = over_ibsim.UP_S[site.draft.size] * programs.slow
        master = context.Manage(site.draft.seat.tag, name="sm0", as_is=True, files=files)
        master.WaitUp(limit_s)
        standby = context.Manage(site.net.hosts[-1].tag, name="sm1", as_is=True, files=files)
        _Follow(attempt, simulator, master, standby, limit_s, call)
    except checks.Wrong as wrong:
        attempt.Require(False, "pair.holds", wrong, call)
    finally:
        context.Close()


def _Await(holds, limit_s):
    end = time.monotonic() + limit_s
    while time.monotonic() < end:
        if holds():
            return True
        time.sleep(0.2)
    return False


def _Status(manager):
    """Nothing, while its socket is not there yet."""
    try:
        return manager.Status() if manager.IsRunning() else {}
    except checks.Wrong:
        return {}


def _Follow(attempt, simulator, master, standby, limit_s, call):
    """No LID moves, and no table: the standby knows what the master knew."""
    attempt.Require(_Await(lambda: _Status(standby).get("replication", {}).get("holds_replica"),
                           limit_s), "pair.replica", "the standby holds no replica", call)
    witness = simulator.hosts[len(simulator.hosts) // 2].name
    before = checks.Subnet(simulator, witness)
    master.Kill()
    standby.WaitUp(limit_s + TAKEOVER_S)
    standby.WaitQuiet(1, limit_s)
    after = checks.Subnet(simulator, witness)
    after.CheckLids()
    after.CheckStates()
    attempt.Require(after.LidsByGuid() == before.LidsByGuid(), "pair.lids", "LIDs moved", call)
    moved = after.BlocksThatDiffer(before)
    attempt.Require(not moved, "pair.routes",
                    "%d blocks of tables differ after the takeover" % moved, call)
