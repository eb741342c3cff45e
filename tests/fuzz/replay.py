#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# EmberSM: runs every fuzz target over its corpus and over many inputs that are made from it.
"""Usage: replay.py [--mutants N] [--slow N] [--jobs N] BUILD [TARGET...]

A target that stops by itself within a few thousand inputs is no net: ctest makes a hundred of each
(tests/CMakeLists.txt), this makes 10,000, and 1,000 of those that take 5 to 130 ms for each, the
same ones in each run. The one under way when a target dies is kept as BUILD/replays/TARGET.last. A
line for each target; the closing line is "N passed, M failed", and the exit status is 1 if one
failed.
"""
import argparse
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SLOW = ("world", "show", "state", "sa_journal", "replication", "administration", "receive",
        "opensm_conf", "control", "flash")
LIMIT_S = 3000
SAID_LINES = 40


def targets():
    found = [name[:-len("_fuzz.cc")] for name in os.listdir(HERE) if name.endswith("_fuzz.cc")]
    return sorted(found, key=lambda name: (name not in SLOW, name))


def replay(build, name, mutants):
    """(what is wrong or "", seconds, inputs). The folder of its own takes what targets write."""
    program = os.path.join(build, "bin", name + "_fuzz")
    kept = os.path.join(build, "replays")
    begun = time.monotonic()
    with tempfile.TemporaryDirectory(dir=kept) as work:
        try:
            done = subprocess.run(
                [program, os.path.join(HERE, "corpus", name + "_fuzz"), "--mutants=%d" % mutants],
                cwd=work, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, timeout=LIMIT_S, text=True, errors="replace")
            status, said = done.returncode, done.stdout
        except subprocess.TimeoutExpired as late:
            status, said = "over %d s" % LIMIT_S, (late.stdout or b"").decode(errors="replace")
        last = os.path.join(work, name + "_fuzz.last")
        if os.path.exists(last):
            os.replace(last, os.path.join(kept, name + ".last"))
    counts = re.search(r"^(\d+) inputs replayed, (\d+) made", said, re.M)
    made = int(counts[2]) if counts else 0
    wrong = "" if status == 0 and made == mutants else "%s, %d of %d inputs\n%s" % (
        status, made, mutants, "\n".join(said.splitlines()[-SAID_LINES:]))
    return wrong, time.monotonic() - begun, made


def main():
    parser = argparse.ArgumentParser(description="Replays of the fuzz targets.")
    parser.add_argument("--mutants", type=int, default=10000)
    parser.add_argument("--slow", type=int, default=1000, help="of those that take long")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("build")
    parser.add_argument("targets", nargs="*", default=[])
    arguments = parser.parse_args()
    build = os.path.abspath(arguments.build)
    os.makedirs(os.path.join(build, "replays"), exist_ok=True)
    names, failed = arguments.targets or targets(), 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        runs = {pool.submit(replay, build, name, arguments.slow if name in SLOW else
                            arguments.mutants): name for name in names}
        for run in concurrent.futures.as_completed(runs):
            wrong, seconds, made = run.result()
            failed += bool(wrong)
            print("%-15s %6d inputs made, %5.0f s%s" % (
                runs[run], made, seconds, ": FAILED: " + wrong if wrong else ""), flush=True)
    print("%d passed, %d failed" % (len(names) - failed, failed))
    return 1 if failed or not names else 0


if __name__ == "__main__":
    sys.exit(main())
