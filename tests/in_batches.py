#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# EmberSM: runs what ctest would run, in far fewer processes.
"""Usage: in_batches.py [--label LABEL]... [--only PATTERN] [--jobs N] [--at-once N] BUILD

A program under a sanitizer or an emulator takes longer to start than most tests take. So ctest is
asked which tests there are, with which command, environment and time limit, and those of one
GoogleTest program are given to it some at a time. A test that crashes or hangs is one failed test:
those behind it in the same process are started again. Says what failed, what was skipped and why,
and a line for each label; the closing line is "N passed, M failed", and the exit status is 1 if one
failed.
"""
import argparse
import concurrent.futures
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

FILTER = "--gtest_filter="
TIMEOUT_S = 1500
SAID_LINES = 40  # Of a failed test.
STATE = re.compile(r"\[ *(RUN|OK|FAILED|SKIPPED) *\] ([^\s,]+)")
SITE = re.compile(r"^\S+:\d+: Skipped$")


class Verdict:
    """How one test ended: "OK", "FAILED" or "SKIPPED", and what it said."""

    def __init__(self, state, said=""):
        self.state = state
        self.said = said


class Batch:
    """Tests of one program with one environment, or one command that is a test of its own."""

    def __init__(self, label, command, settings, limit_s):
        self.label = label
        self.name = label  # Of the command, where that is the test.
        self.command = command
        self.settings = settings
        self.limit_s = limit_s
        self.tests = []  # As GoogleTest calls them; empty: the command is the test.


def Listed(build):
    """What ctest would run there: [(name, label, command, settings, limit)]."""
    told = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], check=True,
                          capture_output=True, text=True)
    found = []
    for test in json.loads(told.stdout)["tests"]:
        traits = {trait["name"]: trait["value"] for trait in test["properties"]}
        if traits.get("DISABLED"):
            continue
        found.append((test["name"], traits.get("LABELS", [""])[0],
                      test.get("command", [test["name"]]),
                      tuple(traits.get("ENVIRONMENT", [])), traits.get("TIMEOUT", TIMEOUT_S)))
    return found


def Batches(build, labels, only, at_once):
    """The tests that were asked for, `at_once` of them to a batch."""
    found, filling = [], {}
    for title, label, command, settings, limit_s in Listed(build):
        name = next((word[len(FILTER):] for word in command if word.startswith(FILTER)), None)
        if (labels and label not in labels) or not only.search(name or title):
            continue
        if name is None:
            found.append(Batch(label, command, settings, limit_s))
            found[-1].name = title.removeprefix(label + ".")
            continue
        program = tuple(word for word in command if not word.startswith("--gtest"))
        batch = filling.get((program, settings))
        if batch is None or len(batch.tests) == at_once:
            batch = Batch(label, list(program), settings, limit_s)
            filling[(program, settings)] = batch
            found.append(batch)
        batch.tests.append(name)
    return found


class Process:
    """A program with its output in a file, which no child of its own can hold open for us."""

    def __init__(self, batch, words):
        self.output = tempfile.TemporaryFile()
        self.limit_s = batch.limit_s
        settings = dict(os.environ)
        settings.update(setting.split("=", 1) for setting in batch.settings)
        self.process = subprocess.Popen(
            [*batch.command, *words], stdin=subprocess.DEVNULL, stdout=self.output,
            stderr=subprocess.STDOUT, env=settings, start_new_session=True)

    def Wait(self):
        """Its status; None: nothing new was heard for as long as one test may take."""
        heard, since = 0, time.monotonic()
        while self.process.poll() is None:
            time.sleep(0.05)
            size = os.fstat(self.output.fileno()).st_size
            if size != heard:
                heard, since = size, time.monotonic()
            if time.monotonic() - since > self.limit_s:
                break
        status = self.process.poll()
        if status is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        return status

    def Said(self):
        self.output.seek(0)
        return self.output.read().decode(errors="replace")


def Parsed(said):
    """{test: verdict} and the test that was begun and not ended, if there is one."""
    verdicts, running, lines = {}, None, []
    for line in said.splitlines():
        state = STATE.search(line)
        if state is None:
            lines.append(line)
        elif state.group(1) == "RUN":
            running, lines = state.group(2), []
        elif state.group(2) == running:
            verdicts[running] = Verdict(state.group(1), "\n".join(lines))
            running = None
    if running is not None:
        verdicts[running] = Verdict("FAILED", "\n".join(lines))
    return verdicts, running


def RunTests(batch):
    """{test: verdict} of a GoogleTest program, begun anew behind each test that ended it."""
    verdicts = {}
    left = list(batch.tests)
    while left:  # Each round judges one test at least.
        with tempfile.NamedTemporaryFile("w", suffix=".flags") as flags:
            flags.write(FILTER + ":".join(left) + "\n")
            flags.flush()
            process = Process(batch, ["--gtest_flagfile=" + flags.name])
            status = process.Wait()
        said = process.Said()
        found, broken = Parsed(said)
        how = "it hung" if status is None else "the program ended with status %d" % status
        if broken is not None:
            found[broken].said += "\n" + how
        elif not set(found) & set(left):
            found = {left[0]: Verdict("FAILED", said[-2000:] + "\nit did not run: " + how)}
        elif status != 0 and all(verdict.state != "FAILED" for verdict in found.values()):
            found["(end)"] = Verdict("FAILED", "all tests are done, but " + how)
        verdicts.update(found)
        left = [test for test in left if test not in verdicts]
    return verdicts


def RunCommand(batch):
    process = Process(batch, [])
    status = process.Wait()
    said = "" if status == 0 else process.Said() + "\nstatus %s" % status
    return {batch.name: Verdict("OK" if status == 0 else "FAILED", said)}


def Run(batch):
    begun = time.monotonic()
    try:
        verdicts = RunTests(batch) if batch.tests else RunCommand(batch)
    except OSError as reason:
        verdicts = {batch.name: Verdict("FAILED", str(reason))}
    return batch, verdicts, time.monotonic() - begun


class Tally:
    """What came of one label."""

    def __init__(self):
        self.counts = {"OK": 0, "FAILED": 0, "SKIPPED": 0}
        self.seconds = 0

    def Add(self, verdicts, seconds):
        self.seconds += seconds
        for verdict in verdicts.values():
            self.counts[verdict.state] += 1


def Tell(label, verdicts):
    """Each test that did not pass."""
    for name, verdict in verdicts.items():
        lines = [line for line in verdict.said.strip().splitlines() if not SITE.match(line)]
        if verdict.state == "SKIPPED":
            print("skipped %s.%s: %s" % (label, name, " ".join(lines)), flush=True)
        elif verdict.state == "FAILED":
            print("FAILED  %s.%s\n    %s" % (label, name, "\n    ".join(lines[-SAID_LINES:])),
                  flush=True)


def Main():
    parser = argparse.ArgumentParser(description="Runs the tests of a build in few processes.")
    parser.add_argument("--label", action="append", default=[], help="only this room's; repeatable")
    parser.add_argument("--only", type=re.compile, default=re.compile(""), metavar="PATTERN",
                        help="only tests in whose name this regular expression is found")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N")
    parser.add_argument("--at-once", type=int, default=20, metavar="N",
                        help="tests given to one process")
    parser.add_argument("build", metavar="BUILD")
    arguments = parser.parse_args()
    tallies = {}
    batches = Batches(arguments.build, arguments.label, arguments.only, arguments.at_once)
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for batch, verdicts, seconds in pool.map(Run, batches):
            Tell(batch.label, verdicts)
            tallies.setdefault(batch.label, Tally()).Add(verdicts, seconds)
    for label, tally in tallies.items():
        print("%-12s %5d passed, %d failed, %d skipped, %.0f s" %
              (label, tally.counts["OK"], tally.counts["FAILED"], tally.counts["SKIPPED"],
               tally.seconds))
    passed, failed = (sum(tally.counts[state] for tally in tallies.values())
                      for state in ("OK", "FAILED"))
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(Main())
