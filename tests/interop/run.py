#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# EmberSM: runs the interoperability cases on ibsim, each in a process and a directory of its own.
"""Usage: run.py [--short] [--sm embersm|opensm] [--through-mailbox] [--list] [NAME...]

A NAME is a case or a pattern (bring-up.*). Without one, all cases for the SM run; `--short` leaves
out the ones that take long. `--sm opensm` runs the very same checks with OpenSM as the SM under
test, which proves the checks. `--through-mailbox` puts every EmberSM behind the mailbox of a switch,
at which OpenSM then sits too; `--short` does so with some cases anyway. A line is printed for each case; the exit status is 1 if one failed.
"""
import argparse
import concurrent.futures
import fnmatch
import os
import shutil
import signal
import subprocess
import sys
import time
import traceback

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import abuse_cases  # noqa: E402,F401
import bad_input_cases  # noqa: E402,F401
import bring_up_cases  # noqa: E402,F401
import cases  # noqa: E402
import chain_cases  # noqa: E402,F401
import checks  # noqa: E402
import churn_cases  # noqa: E402,F401
import clients_cases  # noqa: E402,F401
import control_cases  # noqa: E402,F401
import cross_cases  # noqa: E402,F401
import death_cases  # noqa: E402,F401
import dump_cases  # noqa: E402,F401
import dynamics_cases  # noqa: E402,F401
import engine_cases  # noqa: E402,F401
import explain_cases  # noqa: E402,F401
import flash_cases  # noqa: E402,F401
import grammar_cases  # noqa: E402,F401
import lane_cases  # noqa: E402,F401
import m_key_cases  # noqa: E402,F401
import mailbox_cases  # noqa: E402,F401
import moving_cases  # noqa: E402,F401
import multi_path_cases  # noqa: E402,F401
import multicast_cases  # noqa: E402,F401
import osmtest_cases  # noqa: E402,F401
import page_cases  # noqa: E402,F401
import partition_cases  # noqa: E402,F401
import partition_client_cases  # noqa: E402,F401
import path_cases  # noqa: E402,F401
import plan_cases  # noqa: E402,F401
import policy_grammar_cases  # noqa: E402,F401
import prometheus_cases  # noqa: E402,F401
import proof_cases  # noqa: E402,F401
import qos_policy_cases  # noqa: E402,F401
import registration_cases  # noqa: E402,F401
import role_cases  # noqa: E402,F401
import router_cases  # noqa: E402,F401
import sa_cases  # noqa: E402,F401
import supervisor_cases  # noqa: E402,F401
import survival_cases  # noqa: E402,F401
import takeover_cases  # noqa: E402,F401
import takeover_table_cases  # noqa: E402,F401
import torus_cases  # noqa: E402,F401
import trial_cases  # noqa: E402,F401
import upgrade_cases  # noqa: E402,F401
from context import ROOT, Context, Tools  # noqa: E402


def Arguments():
    parser = argparse.ArgumentParser(description="Interoperability tests of EmberSM on ibsim.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="a case, or a pattern of names")
    parser.add_argument("--list", action="store_true", help="print the names and what they show")
    parser.add_argument("--short", action="store_true", help="leave out the cases that take long")
    parser.add_argument("--sm", choices=("embersm", "opensm"), default="embersm")
    parser.add_argument("--through-mailbox", action="store_true",
                        help="every EmberSM sits behind the mailbox of an emulated chip, at a switch")
    parser.add_argument("--build", default=os.path.join(ROOT, "build", "release"),
                        help="the build directory with embersm, emberctl and emberc")
    parser.add_argument("--work", default=os.path.join(ROOT, "build", "interop"),
                        help="where the cases put their files")
    parser.add_argument("--jobs", "-j", type=int, default=2, help="cases at a time")
    parser.add_argument("--keep", action="store_true", help="keep the files of good cases too")
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


def Select(arguments):
    chosen = []
    for name, case in cases.CASES.items():
        if arguments.sm not in case.kinds:
            continue
        if arguments.names:
            if any(fnmatch.fnmatchcase(name, pattern) for pattern in arguments.names):
                chosen.append(case)
        elif case.short or not arguments.short:
            chosen.append(case)
    return chosen


# Of the short run, these are run a second time, through the mailbox.
MAILBOX_SHORT = ("bring-up.ft2-k8", "bring-up.random", "bring-up.counters",
                 "differential.ft2-k8", "dynamics.link", "dynamics.kill", "roles.guid",
                 "sa.saquery")


def Runs(chosen, arguments):
    """(case, whether through the mailbox), in order."""
    runs = [(case, arguments.through_mailbox) for case in chosen
            if not (arguments.through_mailbox and case.hosts_only)]
    if arguments.short and not arguments.names and not arguments.through_mailbox:
        runs += [(case, True) for case in chosen if arguments.sm == "embersm" and
                 any(fnmatch.fnmatchcase(case.name, pattern) for pattern in MAILBOX_SHORT)]
    return runs


def RunHere(case, arguments):
    """Inside the process of one case: its notes, or the reason of its failure, on stdout."""
    directory = Directory(case, arguments.through_mailbox, arguments)
    tools = Tools(arguments.build, arguments.work, arguments.through_mailbox)
    context = Context(directory, tools, arguments.sm)
    try:
        case.run(context)
        print("; ".join(context.notes))
        return 0
    except checks.Wrong as reason:
        print(reason)
        return 1
    except Exception:  # The report must name whatever went wrong in a case, and go on.
        print(traceback.format_exc().strip())
        return 1
    finally:
        context.Close()


def Directory(case, through_mailbox, arguments):
    return os.path.join(arguments.work, case.name + (".mailbox" if through_mailbox else ""))


def RunCase(case, through_mailbox, arguments):
    directory = Directory(case, through_mailbox, arguments)
    shutil.rmtree(directory, ignore_errors=True)
    os.makedirs(directory)
    begun = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, os.path.abspath(__file__), "--one", "--sm", arguments.sm,
         "--build", arguments.build, "--work", arguments.work,
         *(["--through-mailbox"] if through_mailbox else []), case.name],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True)
    try:
        output, _ = process.communicate(timeout=case.timeout_s)
        good = process.returncode == 0
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)  # The session that was started for this case.
        output, _ = process.communicate()
        output, good = "no end after %d s\n%s" % (case.timeout_s, output), False
    return good, time.monotonic() - begun, output.strip(), directory


def Logs(directory):
    """The last lines of every log in a failed case's directory."""
    for folder, _, files in sorted(os.walk(directory)):
        for file in sorted(files):
            path = os.path.join(folder, file)
            if file.endswith(".log") or file == "output":
                with open(path, encoding="utf-8", errors="replace") as log:
                    lines = [line.rstrip()[:200] for line in log.readlines()[-6:]]
                if lines:
                    print("      --- %s" % os.path.relpath(path, ROOT))
                    print("\n".join("      " + line for line in lines))


def RunAll(chosen, arguments):
    Tools(arguments.build, arguments.work).Prepare()
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(max(1, arguments.jobs)) as pool:
        runs = Runs(chosen, arguments)
        for case in chosen if arguments.through_mailbox else ():
            if case.hosts_only:
                print("left   %-36s          %s" % (case.name, case.hosts_only), flush=True)
        pending = {pool.submit(RunCase, *run, arguments): run for run in runs}
        for done in concurrent.futures.as_completed(pending):
            good, seconds, output, directory = done.result()
            case, through_mailbox = pending[done]
            name = case.name + (" (mailbox)" if through_mailbox else "")
            print("%-6s %-36s %5.1f s  %s" % ("ok" if good else "FAILED", name, seconds,
                                             output.replace("\n", "\n" + 8 * " ")),
                  flush=True)
            if good and not arguments.keep:
                shutil.rmtree(directory, ignore_errors=True)
            elif not good:
                failed += 1
                Logs(directory)
    print("%d passed, %d failed" % (len(runs) - failed, failed))
    return 1 if failed or not runs else 0


def Main():
    arguments = Arguments()
    arguments.build, arguments.work = map(os.path.abspath, (arguments.build, arguments.work))
    if arguments.list:
        for case in Select(arguments):
            run = getattr(case.run, "func", case.run)
            print("%-36s %s" % (case.name, (run.__doc__ or "").split("\n")[0]))
        return 0
    chosen = Select(arguments)
    if arguments.one:
        return RunHere(chosen[0], arguments)
    return RunAll(chosen, arguments)


if __name__ == "__main__":
    sys.exit(Main())
