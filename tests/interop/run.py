#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# EmberSM: runs the interoperability cases on ibsim, each in a process and a directory of its own.
"""Usage: run.py [--short] [--sm embersm|opensm] [--list] [NAME...]

A NAME is a case or a pattern (bring-up.*). Without one, all cases for the SM run; `--short` leaves
out the ones that take long. `--sm opensm` runs the very same checks with OpenSM as the SM under
test, which proves the checks. A line is printed for each case; the exit status is 1 if one failed.
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
import checks  # noqa: E402
import control_cases  # noqa: E402,F401
import dump_cases  # noqa: E402,F401
import dynamics_cases  # noqa: E402,F401
import engine_cases  # noqa: E402,F401
import multicast_cases  # noqa: E402,F401
import osmtest_cases  # noqa: E402,F401
import path_cases  # noqa: E402,F401
import plan_cases  # noqa: E402,F401
import proof_cases  # noqa: E402,F401
import role_cases  # noqa: E402,F401
import sa_cases  # noqa: E402,F401
from context import ROOT, Context, Tools  # noqa: E402


def Arguments():
    parser = argparse.ArgumentParser(description="Interoperability tests of EmberSM on ibsim.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="a case, or a pattern of names")
    parser.add_argument("--list", action="store_true", help="print the names and what they show")
    parser.add_argument("--short", action="store_true", help="leave out the cases that take long")
    parser.add_argument("--sm", choices=("embersm", "opensm"), default="embersm")
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


def RunHere(case, arguments):
    """Inside the process of one case: its notes, or the reason of its failure, on stdout."""
    directory = os.path.join(arguments.work, case.name)
    context = Context(directory, Tools(arguments.build, arguments.work), arguments.sm)
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


def RunCase(case, arguments):
    directory = os.path.join(arguments.work, case.name)
    shutil.rmtree(directory, ignore_errors=True)
    os.makedirs(directory)
    begun = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, os.path.abspath(__file__), "--one", "--sm", arguments.sm,
         "--build", arguments.build, "--work", arguments.work, case.name],
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
        pending = {pool.submit(RunCase, case, arguments): case for case in chosen}
        for done in concurrent.futures.as_completed(pending):
            good, seconds, output, directory = done.result()
            print("%-6s %-36s %5.1f s  %s" % ("ok" if good else "FAILED", pending[done].name,
                                             seconds, output.replace("\n", "\n" + 8 * " ")),
                  flush=True)
            if good and not arguments.keep:
                shutil.rmtree(directory, ignore_errors=True)
            elif not good:
                failed += 1
                Logs(directory)
    print("%d passed, %d failed" % (len(chosen) - failed, failed))
    return 1 if failed or not chosen else 0


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
