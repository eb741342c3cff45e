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
        seats = [site.draft.seat.tag, site.net.hosts[-1].tag]
        limit_s = over_ibsim.UP_S[site.draft.size] * programs.slow
        first, second = (context.Manage(seat, name="sm%d" % i, as_is=True, files=files)
                         for i, seat in enumerate(seats))
        _Follow(attempt, simulator, first, second, limit_s, call)
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


def _Follow(attempt, simulator, first, second, limit_s, call):
    managers = [first, second]

    def Master():
        return next((one for one in managers if one.IsRunning()
                     and one.Status().get("role", {}).get("state") == "MASTER"
                     and one.Status().get("up")), None)
    attempt.Require(_Await(Master, limit_s), "pair.master", "no master is up", call)
    master = Master() or first
    standby = next(one for one in managers if one is not master)
    attempt.Require(_Await(lambda: standby.Status().get("replication", {}).get("holds_replica"),
                           limit_s), "pair.replica", "the standby holds no replica", call)
    witness = simulator.hosts[len(simulator.hosts) // 2].name
    before = checks.Subnet(simulator, witness).LidsByGuid()
    master.Kill()
    standby.WaitUp(limit_s + TAKEOVER_S)
    after = checks.Subnet(simulator, witness)
    after.CheckLids()
    attempt.Require(after.LidsByGuid() == before, "pair.lids", "LIDs moved in the takeover", call)
    attempt.Require(after.tables, "pair.tables", "no tables", call)
