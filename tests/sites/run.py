#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# EmberSM: tries drawn sites on emberc, embersm and emberctl: on paper, simulated, and over ibsim.
"""Usage: run.py [--short] [--count N] [--jobs N] [--list] [NAME...]

A NAME is a site, KIND.SIZE.SEED as torus.small.3, or a fixed site as fixed.208.updn; patterns like
torus.* choose among those of the run. Without one: the fixed sites and --count drawn ones; --short
has one small site of each kind and the fixed sites of 208 LIDs. A line is printed for each site;
below a failure stands what repeats it. The exit status is 1 if something failed that no mark of
expected.py covers, or if a mark covers nothing any more.
"""
import argparse
import concurrent.futures
import fnmatch
import os
import re
import shutil
import sys
import time
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "interop")]
import drawn_site  # noqa: E402
import fixed  # noqa: E402
import in_simulation  # noqa: E402
import on_paper  # noqa: E402
import over_ibsim  # noqa: E402
import proofs  # noqa: E402
from attempt import Attempt  # noqa: E402
from context import Tools  # noqa: E402
from expected import Tally  # noqa: E402
from programs import Programs  # noqa: E402

DRAWN = re.compile(r"([a-z-]+)\.(small|medium|large)\.(\d+)$")
MEDIUM_EACH, LARGE_EACH, IBSIM_EACH = 12, 41, 4
SANITIZED_SLOWER = 8


def Arguments():
    parser = argparse.ArgumentParser(description="Realistic sites under EmberSM.")
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--short", action="store_true", help="three minutes of it")
    parser.add_argument("--count", type=int, default=200, help="drawn sites")
    parser.add_argument("--jobs", "-j", type=int, default=4, help="sites at a time")
    parser.add_argument("--list", action="store_true", help="print the names")
    parser.add_argument("--build", default=os.path.join(ROOT, "build", "release"))
    parser.add_argument("--work", default=os.path.join(ROOT, "build", "sites"))
    parser.add_argument("--keep", action="store_true", help="keep the files of good sites too")
    return parser.parse_args()


def DrawnNames(count):
    """So many sites of all kinds in turn; some of them are of medium size, few are large."""
    names, kinds = [], list(drawn_site.KINDS)
    seeds = dict.fromkeys(((kind, size) for kind in kinds for size in drawn_site.SIZES), 0)
    for number in range(count):
        kind = kinds[number % len(kinds)]
        size = ("large" if number % LARGE_EACH == LARGE_EACH - 1
                else "medium" if number % MEDIUM_EACH == number // MEDIUM_EACH % MEDIUM_EACH
                else "small")
        seeds[kind, size] += 1
        names.append("%s.%s.%d" % (kind, size, seeds[kind, size]))
    return names


def Names(arguments):
    if arguments.short:
        names = proofs.NAMES + fixed.Names(small_only=True) + [
            "%s.small.%d" % (kind, 1 + i % 3) for i, kind in enumerate(drawn_site.KINDS)]
    else:
        names = proofs.NAMES + fixed.Names() + DrawnNames(arguments.count)
    if not arguments.names:
        return names
    chosen = [name for name in names
              if any(fnmatch.fnmatchcase(name, one) for one in arguments.names)]
    return chosen + [one for one in arguments.names if DRAWN.match(one) and one not in chosen]


def TryDrawn(name, programs, tools, short):
    kind, size, seed = DRAWN.match(name).groups()
    attempt = Attempt(drawn_site.Site(kind, int(seed), size), programs)
    site = attempt.site
    site.Write(os.path.join(programs.work, name))
    on_paper.Mistakes(attempt)
    on_paper.Foreign(attempt)
    plans, fabrics = zip(*(on_paper.Plan(attempt, one) for one in site.configurations))
    alive = []
    for number, (configuration, blob) in enumerate(zip(site.configurations,
                                                       ("first.blob", "second.blob"))):
        on_paper.Check(attempt, configuration, fabrics[number])
        alive.append(on_paper.Compile(attempt, configuration, blob, number + 1)
                     and in_simulation.Once(attempt, configuration, blob, plans[number],
                                            fabrics[number]))
    if not short:
        on_paper.Failures(attempt, site.configurations[0], plans[0], fabrics[0])
    if alive[0] and size != "large":
        in_simulation.Life(attempt, fabrics[0], plans).Run(alive[1])
    quotes = any('"' in node.name for node in site.net.nodes)  # Which ibsim does not read.
    over = size == "large" or (int(seed) % IBSIM_EACH == 1 if size == "small" else int(seed) == 1)
    if alive[0] and over and site.draft.seat.links and not quotes:
        over_ibsim.Run(attempt, tools, site.configurations[0], "first.blob")
    return attempt


def Try(name, programs, tools, short):
    """The attempt, its seconds, and what broke the runner itself, if anything did."""
    begun = time.monotonic()
    try:
        if name in proofs.NAMES:
            attempt = proofs.Run(name, programs)
        elif name.startswith("fixed."):
            attempt = fixed.Try(name, programs, tools, short)
        else:
            attempt = TryDrawn(name, programs, tools, short)
        return attempt, time.monotonic() - begun, ""
    except Exception:  # The report must name what went wrong on one site, and go on.
        return None, time.monotonic() - begun, traceback.format_exc().strip()


def Said(attempt):
    configurations = getattr(attempt.site, "configurations", ())
    words = "; ".join(configurations[0].said) if configurations else ""
    return "%d checks  %s" % (sum(attempt.tried.values()), words or "defaults")


def Report(name, attempt, seconds, broken, tally, replay):
    """Prints what became of one site; returns whether it is good."""
    left = tally.Sort(attempt) if attempt else []
    good = not left and not broken
    print("%-6s %-26s %6.1f s  %s" % ("ok" if good else "FAILED", name, seconds,
                                     Said(attempt) if attempt else ""), flush=True)
    for line in broken.split("\n") if broken else ():
        print("       " + line)
    for failure in left:
        print("       %s: %s" % (failure.check, failure.text))
        if failure.call:
            print("         | " + failure.call)
    if not good:
        print("       repeat: %s --keep %s" % (replay, name), flush=True)
    return good


def RunAll(names, arguments):
    slow = SANITIZED_SLOWER if "asan" in os.path.basename(arguments.build) else 1
    programs, tally = Programs(arguments.build, arguments.work, slow), Tally()
    tools = Tools(arguments.build, arguments.work)
    tools.Prepare()
    programs.MakeKeys()
    replay = "python3 tests/sites/run.py --build " + os.path.relpath(arguments.build, ROOT)
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(max(1, arguments.jobs)) as pool:
        pending = {pool.submit(Try, name, programs, tools, arguments.short): name for name in names}
        for done in concurrent.futures.as_completed(pending):
            name = pending[done]
            good = Report(name, *done.result(), tally, replay)
            failed += not good
            if good and not arguments.keep:
                shutil.rmtree(os.path.join(arguments.work, name), ignore_errors=True)
    programs.Close()
    for mark, count in tally.covered.items():
        print("expected %4d failures: %s" % (count, mark.reason))
    stale = tally.Stale()
    for mark in stale:
        print("FAILED mark %s: nothing of it fails any more, on %d sites; take it out (%s)" % (
            mark.name, tally.spoke[mark], mark.reason))
    print("%d passed, %d failed, %d failures as expected" % (
        len(names) - failed, failed + len(stale), sum(tally.covered.values())))
    return 1 if failed or stale or not names else 0


def Main():
    arguments = Arguments()
    arguments.build, arguments.work = map(os.path.abspath, (arguments.build, arguments.work))
    names = Names(arguments)
    if arguments.list:
        print("\n".join(names))
        return 0
    return RunAll(names, arguments)


if __name__ == "__main__":
    sys.exit(Main())
