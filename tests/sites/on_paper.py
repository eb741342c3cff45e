# SPDX-License-Identifier: Apache-2.0
# EmberSM: what emberc says of a site: check, compile, plan, and what a loss would do.
import collections
import os

import claims
import mistakes
from fabric import Hex

FLOOD = 12  # Warnings of one kind about one file.
QUICK = ("--shifts", "8", "--bisections", "8")


def _Diagnostics(attempt, check, name, *more):
    done = attempt.Run("emberc", "check", name, "--no-default-files", "--json", *more)
    if not attempt.Ended(check, done):
        return None, done
    report = done.Json()
    if not attempt.Require(report is not None, check + ".json", done.Errors(), done.call):
        return None, done
    return report.get("diagnostics", []), done


def _Word(diagnostic):
    return "%s:%s %s [%s]" % (diagnostic.get("file"), diagnostic.get("line"), diagnostic["text"],
                              diagnostic["code"])


def Check(attempt, configuration, fabric):
    for more in ((), ("--fabric", fabric)):
        told, done = _Diagnostics(attempt, "check", configuration.name, *more)
        if told is None:
            continue
        errors = [_Word(one) for one in told if one["severity"] == "error"]
        attempt.Require(done.status == 0 and not errors, "check.error",
                        "exit status %d: %s" % (done.status, errors[:3] or done.Errors()),
                        done.call)
        kinds = collections.Counter(one["code"] for one in told if one["severity"] == "warning")
        for code, count in kinds.items():
            attempt.Require(count <= FLOOD or more, "check.flood",
                            "%d warnings [%s]" % (count, code), done.call)


def _At(diagnostic):
    return os.path.basename(diagnostic.get("file") or ""), diagnostic.get("line")


def Mistakes(attempt):
    """Each planted mistake is told at its line, and nothing else is an error."""
    planted = attempt.site.mistakes
    if not planted:
        return
    told, done = _Diagnostics(attempt, "mistakes", mistakes.NAME)
    if told is None:
        return
    places = {(one.file, line) for one in planted for line in one.lines}
    for one in planted:
        here = [d for d in told if _At(d) in {(one.file, line) for line in one.lines}
                and d["severity"] in ("error", "warning")]
        wanted = [d for d in here if d["severity"] == "error" or one.severity == "warning"]
        where = "%s:%s" % (one.file, one.lines[0])
        attempt.Require(wanted, "mistakes.told", "%s: no %s at its line" % (where, one.severity),
                        done.call)
        attempt.Require(not wanted or any(one.names in d["text"] + d.get("source", "")
                                          for d in wanted), "mistakes.named",
                        "%s: does not name %s" % (where, one.names), done.call)
    errors = any(one.severity == "error" for one in planted)
    attempt.Require(done.status == int(errors), "mistakes.status", "exit status %d" % done.status,
                    done.call)
    besides = [_Word(d) for d in told if d["severity"] == "error" and _At(d) not in places]
    attempt.Require(not besides, "mistakes.besides", besides[:2], done.call)


def Foreign(attempt):
    """Keys of NVIDIA's manager at values that ask for nothing are no errors."""
    if not attempt.site.foreign:
        return
    told, done = _Diagnostics(attempt, "foreign", "opensm-nvidia.conf")
    errors = [one.get("source", one["text"]) for one in told or () if one["severity"] == "error"]
    attempt.Require(not errors, "foreign.error", "%d errors: %s" % (len(errors), errors[:4]),
                    done.call)


def Compile(attempt, configuration, blob, counter):
    done = attempt.programs.Compile(attempt.site.folder, configuration.name, blob, counter)
    return attempt.Ended("compile", done) and attempt.Require(
        done.status == 0, "compile.status", "%d: %s" % (done.status, done.Errors()), done.call)


def _Plan(attempt, configuration, fabric, *more):
    done = attempt.Run("emberc", "plan", "-q", "-f", fabric, "-c", configuration.name, "--sm",
                       Hex(attempt.site.draft.seat.guid), *QUICK, *more, "--json", "-",
                       timeout_s=900)
    return done.Json(), done


def Plan(attempt, configuration):
    """The plan, with `exit_status`, or None; and the listing that could be read."""
    site, fabric = attempt.site, "fabric.net"
    plan, done = _Plan(attempt, configuration, fabric)
    if site.form != "plain":
        attempt.Require(plan is not None, "listing." + site.form, done.Errors(), done.call)
        other, again = _Plan(attempt, configuration, "plain.net")
        if plan is not None and other is not None:
            _SamePlan(attempt, plan, other, done.call)
        if plan is None:
            plan, done, fabric = other, again, "plain.net"
    if not attempt.Ended("plan", done):
        return None, fabric
    if attempt.Require(plan is not None, "plan.made", done.Errors(), done.call):
        plan["call"] = done.call
        _Judge(attempt, configuration, plan, done)
    return plan, fabric


def _SamePlan(attempt, plan, other, call):
    if "all_to_all" in plan and "all_to_all" in other:
        attempt.Require((plan["verdict"], plan["all_to_all"])
                        == (other["verdict"], other["all_to_all"]), "listing.alike",
                        "another plan than for the plain form: %.4f and %.4f" % (
                            plan["all_to_all"]["saturation"], other["all_to_all"]["saturation"]),
                        call)


def _Judge(attempt, configuration, plan, done):
    site, call = attempt.site, done.call
    found = plan["fabric"]
    attempt.Require(found["switches"] == site.switch_count, "plan.switches",
                    "%s switches, not %d" % (found["switches"], site.switch_count), call)
    if site.switch_count == 0:
        attempt.Require(done.status == 0, "plan.status", "exit status %d" % done.status, call)
        return
    apart = len(site.net.nodes) - len(site.seen)
    attempt.Require(found["out_of_sight"] == apart, "plan.sight", "%s out of sight, not %d"
                    % (found["out_of_sight"], apart), call)
    verdict, expected = plan["verdict"], configuration.expected
    reasons = "; ".join("%s: %s" % (one["engine"], one["reason"] or one["outcome"])
                        for one in verdict.get("attempts", ()))[:300]
    good = attempt.Require(done.status in expected.statuses, "plan.status", "exit status %d, not "
                           "%s: %s; %s" % (done.status, expected.statuses, plan.get("headline"),
                                       reasons), call)
    good = good and attempt.Require(verdict["engine"] in expected.engines, "plan.engine",
                                    "%s, not %s: %s" % (verdict["engine"], expected.engines,
                                                        reasons), call)
    if good:
        attempt.Require(verdict["outcome"] in expected.outcomes, "plan.outcome",
                        verdict["outcome"], call)
    attempt.Require(not plan["all_to_all"]["lost"], "plan.lost", "%d paths lost"
                    % plan["all_to_all"]["lost"], call)
    if verdict["engine"] == "auto":
        words, told = claims.ShapeWords(site), verdict["fabric"].split(":")[0]
        attempt.Require(not words or any(word in told for word in words), "plan.shape",
                        "a %s is %s" % (site.draft.shape, verdict["fabric"]), call)
        attempt.Require(site.draft.shape != "tiny" or "irregular" not in verdict["fabric"],
                        "plan.shape", "one switch or two: " + verdict["fabric"], call)


def Failures(attempt, configuration, plan, fabric):
    """Loss of a cable and of a switch: hosts that are lost are those of the netlist."""
    site, net = attempt.site, attempt.site.net
    trunks = net.Trunks()
    if not trunks or site.draft.size == "large" or plan is None:
        return
    node, port = trunks[len(trunks) // 3]
    link = node.links[port]
    switch = site.draft.roots[0] if site.draft.roots else trunks[len(trunks) // 2][0]
    told, done = _Plan(attempt, configuration, fabric,
                       "--fail", "link=%s/%d" % (Hex(node.guid), port),
                       "--fail", "switch=" + Hex(switch.guid))
    if not attempt.Ended("fail", done):
        return
    if not attempt.Require(told is not None, "fail.made", done.Errors(), done.call):
        return
    whole = claims.HostsJoined(net)
    cable = {(node.guid, port), (link.peer.guid, link.port)}
    lost = {"link": whole - claims.HostsJoined(net, cable),
            "switch": whole - claims.HostsJoined(net, (), switch)}
    for one in told["failures"]:
        attempt.Require(one["hosts_lost"] == lost[one["kind"]], "fail.hosts",
                        "%s %s: %d hosts lost, by the netlist %d" % (
                            one["kind"], one["what"], one["hosts_lost"], lost[one["kind"]]),
                        done.call)
        attempt.Require(lost[one["kind"]] or not one["pairs_lost"], "fail.pairs",
                        "%s %s: %d pairs lost though all are joined" % (
                            one["kind"], one["what"], one["pairs_lost"]), done.call)
