# SPDX-License-Identifier: Apache-2.0
# EmberSM: a site under embersm itself, in its own simulation: bring-up, restart, reload.
import os
import re
import shutil

import claims
import walk
from fabric import Hex
from programs import Manager

UP_S = {"small": 200, "medium": 300, "large": 900}


def Once(attempt, configuration, blob, plan, fabric):
    """embersm --once ends as the plan did, by the same engine; without a plan as the construction
    says. Returns whether it lived."""
    site = attempt.site
    done = attempt.Run("embersm", "--sim=" + fabric, "--guid", Hex(site.draft.seat_port_guid),
                       "--blob", blob, "--public-key", attempt.programs.public, "--once",
                       "--no-socket", timeout_s=UP_S[site.draft.size])
    if not attempt.Ended("once", done):
        return False
    if not site.draft.seat.links:
        return attempt.Require(done.status == 1, "once.status", "a host without a cable: exit "
                               "status %d" % done.status, done.call)
    headline = done.out.split("\n")[0]
    engine = re.search(r"^\s*engine\s+(.+)$", done.out, re.M)
    if plan is None:
        expected = configuration.expected
        attempt.Require(done.status in expected.statuses, "once.status", "%d, not %s: %s" % (
            done.status, expected.statuses, headline), done.call)
        attempt.Require(engine and engine[1].strip() in expected.engines, "once.engine",
                        "%s, not %s: %s" % (engine and engine[1].strip(), expected.engines,
                                            headline), done.call)
        return True
    attempt.Require(done.status == plan["exit_status"], "once.status", "%d, the plan %d: %s" % (
        done.status, plan["exit_status"], headline), done.call)
    told = (plan.get("verdict") or {}).get("engine")
    if engine and told:
        attempt.Require(engine[1].strip() == told, "once.engine", "%s, the plan %s" % (
            engine[1].strip(), told), done.call)
    return True


def Judge(attempt, check, configuration, tables, status, call, plan=None):
    """Tables as they are, walked: no pair of hosts lost, no circle, no loop of credits that the
    verdict does not tell, and saturation as the construction gives it."""
    site = attempt.site
    found = walk.Walker(walk.Graph(site.seen), *tables).Walk()
    verdict = status.get("routing", {})
    attempt.Require(not found.lost, check + ".lost", "%d pairs lost, as LID %s; verdict %s" % (
        found.lost, found.example[:1], verdict.get("verdict")), call)
    attempt.Require(not found.circles, check + ".circles", "%d" % found.circles, call)
    hosts = sum(node.links[port].peer.is_switch for node, port in site.HostPorts()
                if node.kind == "host" or node.kind == "router")
    attempt.Require(found.hosts == hosts, check + ".hosts", "%d hosts have LIDs, not %d" % (
        found.hosts, hosts), call)
    if plan is None:
        return
    if plan["verdict"].get("lanes", 1) in (0, 1):
        attempt.Require(not found.credit_loop or verdict.get("end_ports_may_deadlock"),
                        check + ".credits", "a credit loop of hosts on one lane; verdict %s"
                        % verdict.get("verdict"), call)
    least = claims.LeastSaturation(site, configuration, verdict.get("engine"))
    attempt.Require(found.saturation >= least, check + ".saturation",
                    "%.4f, at least %.4f of a bound of %.4f; taken for %s" % (
                        found.saturation, least, walk.Bound(site), verdict.get("fabric", "-")[:90]),
                    call)
    plain = not site.draft.aggregation and "lmc" not in configuration.keys
    if plain and plan["verdict"]["engine"] == verdict.get("engine"):
        for key, own in (("saturation", found.saturation), ("saturation_by_rate", found.by_rate)):
            told = plan["all_to_all"][key]
            attempt.Require(abs(own - told) <= 0.02 * max(own, 0.01), check + ".measure",
                            "the plan says %s %.4f, the tables %.4f" % (key, told, own), call)


def Answers(attempt, check, configuration, manager):
    """Who may talk, and on which service level, as the files say."""
    for talk in configuration.talks if attempt.site.switch_count else ():
        told = manager.Ask("explain", "partition", Hex(talk.one), Hex(talk.other))
        attempt.Require(told.get("may_talk") == talk.may, check + ".talk",
                        "%s and %s: %s, by the file %s (%s)" % (
                            Hex(talk.one), Hex(talk.other), told.get("may_talk"), talk.may,
                            talk.partition), manager.call)
    for path in configuration.levels:
        told = manager.Ask("explain", "path", Hex(path.one), Hex(path.other))
        if told.get("told", True):
            # Where the routing has service levels of its own the path's says its lane as well.
            level = told.get("level_sl", told.get("sl"))
            attempt.Require(level == path.level, check + ".level", "%s to %s: SL %s, by the policy "
                            "%d" % (Hex(path.one), Hex(path.other), level, path.level),
                            manager.call)


class Life:
    """A manager on a site, from its first start through a restart to a second configuration."""

    def __init__(self, attempt, fabric, plans):
        self._attempt, self._fabric, self._plans = attempt, fabric, plans
        self._folder, self._manager = attempt.site.folder, None
        self._limit_s = UP_S[attempt.site.draft.size]

    def _Start(self):
        site = self._attempt.site
        self._manager = Manager(self._attempt.programs, self._folder, self._fabric,
                                Hex(site.draft.seat_port_guid), "state")
        return self._manager.Wait(lambda status: status.get("up"), self._limit_s)

    def _Use(self, blob):
        shutil.copy(os.path.join(self._folder, blob), os.path.join(self._folder, Manager.BLOB))

    def _Up(self, check, status):
        manager = self._manager
        return self._attempt.Require(status.get("up"), check + ".up", "%s %s" % (
            manager.crash, status.get("headline", status)), manager.call)

    def Run(self, reload):
        attempt = self._attempt
        if not attempt.site.draft.seat.links:
            return
        shutil.rmtree(os.path.join(self._folder, "state"), ignore_errors=True)
        os.makedirs(os.path.join(self._folder, "state"))
        self._Use("first.blob")
        try:
            before = self._First()
            if before is not None and self._Restart(before) and reload:
                self._Reload()
        finally:
            status = self._manager.Stop()
            attempt.Require(status == 0 and not self._manager.crash, "run.end",
                            "exit status %s %s" % (status, self._manager.crash), self._manager.call)

    def _First(self):
        attempt, configuration = self._attempt, self._attempt.site.configurations[0]
        status = self._Start()
        if not self._Up("run", status):
            return None
        manager = self._manager
        if attempt.site.switch_count == 0:
            Answers(attempt, "run", configuration, manager)
            return None
        tables = manager.Dump("dump", self._limit_s)
        if not attempt.Require(tables, "run.dump", "no tables", manager.call):
            return None
        Judge(attempt, "run", configuration, tables, status, manager.call, self._plans[0])
        Answers(attempt, "run", configuration, manager)
        return tables

    def _Restart(self, before):
        """No LID and no route moves."""
        attempt, status = self._attempt, self._manager.Stop()
        attempt.Require(status == 0, "run.end", "exit status %s" % status, self._manager.call)
        if not self._Up("restart", self._Start()):
            return False
        after = self._manager.Dump("dump", self._limit_s)
        if attempt.Require(after, "restart.dump", "no tables", self._manager.call):
            attempt.Require(after[1] == before[1], "restart.lids", "LIDs moved", self._manager.call)
            moved = sum(row != after[0].get(guid, b"")[lid] for guid, table in before[0].items()
                        for lid, row in enumerate(table[:max(before[1]) + 1]))
            attempt.Require(not moved, "restart.routes", "%d routes moved" % moved,
                            self._manager.call)
        return True

    def _Reload(self):
        attempt, manager = self._attempt, self._manager
        first, second = attempt.site.configurations
        self._Use("second.blob")
        call = "%s; then reload: %s -> %s" % (manager.call, "; ".join(first.said),
                                              "; ".join(second.said))
        done = manager.Control("reload")
        attempt.Require(done.status == 0, "reload.taken", done.Errors(), call)

        def Settled(status):
            told = status["configuration"]
            return (status.get("up") and status.get("stage") == "resting"
                    and told.get("reloads", 0) + told.get("refused_reloads", 0) > 0)
        status = manager.Wait(Settled, self._limit_s)
        if not attempt.Require(manager.is_running and not manager.crash, "reload.crash",
                               manager.crash, call):
            return
        if not self._Up("reload", status):
            return
        engine, plan = status["routing"].get("engine"), self._plans[1]
        attempt.Require(not status["configuration"]["trial"].get("failed"), "reload.trial",
                        "rolled back", call)
        told = (plan or {}).get("verdict", {}).get("engine")
        attempt.Require(told in (None, engine), "reload.engine", "%s, the plan %s" % (engine, told),
                        call)
        tables = manager.Dump("dump", self._limit_s)
        if attempt.Require(tables, "reload.dump", "no tables", call):
            Judge(attempt, "reload", second, tables, status, call)
        if engine in second.expected.engines:
            Answers(attempt, "reload", second, manager)
