#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# EmberSM: changes one line of the product at a time and says which suite notices.
"""Usage: run.py [--seconds N] [--seed N] [--suites SUITE,...] [PATH...]

Draws lines of .cc files below each PATH (core/routing core/programming config/blob), changes one of them
in a copy of the tree (build/mutants), builds, and runs the suites in their order until one fails. A
line is printed for each change. What no suite notices is printed once more at the end, with what
repeats it (--only FILE:LINE:CHANGE); the exit status is 1 if there was any.
"""
import argparse
import os
import random
import re
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
COPY = os.path.join(ROOT, "build", "mutants")
BUILD = os.path.join(COPY, "build", "mutants")
ROOMS = ("core/routing", "core/programming", "config/blob")
SUITES = ("core", "engines", "config", "property", "scenarios", "swarm")
SLOWEST_FACTOR = 4  # A suite that takes so many times as long as unchanged hangs.

# Each: what is found in a line of code, and what stands there afterwards. Spaces tell operators
# from templates.
CHANGES = {
    "less": (r" < ", " <= "),
    "at-most": (r" <= ", " < "),
    "more": (r" > ", " >= "),
    "at-least": (r" >= ", " > "),
    "equal": (r" == ", " != "),
    "unequal": (r" != ", " == "),
    "and": (r" && ", " || "),
    "or": (r" \|\| ", " && "),
    "plus": (r" \+ ", " - "),
    "minus": (r" - ", " + "),
    "plus-is": (r" \+= ", " -= "),
    "one-more": (r"([(=+-] ?)1\b(?![.'x])", r"\g<1>2"),
    "none": (r"([(=+-] ?)0\b(?![.'x])", r"\g<1>1"),
    "true": (r"\btrue\b", "false"),
    "false": (r"\bfalse\b", "true"),
    "not": (r"\(!(?=[a-z])", "("),
    "next": (r"\bcontinue;", "break;"),
    "stop": (r"\bbreak;", "continue;"),
}
# A whole statement in one line that can be left out.
STATEMENT = re.compile(r"^\s+(?!return|const|static|using|constexpr|case|auto|std::|break|continue|[A-Z]\w* \w+[ ;{(=])"
                       r"[\w:.>\[\]+*()-]+( [-+|&^]?= |\().*\);$|^\s+[\w.>\[\]-]+ [-+|&^]?= .*;$|^\s+\+\+[\w.>-]+;$")
# Such lines promise something or tell of it; to change them proves nothing.
EXEMPT = re.compile(r"^\s*(//|/\*|#|\*|using |namespace |static_assert|template)|EMBER_ASSERT|log_\.|Write<Note")


def Arguments():
    parser = argparse.ArgumentParser(description="Which suite notices a changed line?")
    parser.add_argument("paths", nargs="*", metavar="PATH", default=list(ROOMS))
    parser.add_argument("--seconds", type=int, default=3600, help="no change is begun after that")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--suites", default=",".join(SUITES))
    parser.add_argument("--only", metavar="FILE:LINE:CHANGE", help="this change and no other")
    parser.add_argument("--jobs", "-j", type=int, default=os.cpu_count())
    return parser.parse_args()


def Tracked():
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True)
    return [one for one in names.stdout.decode().split("\0") if one]


def CopyTree():
    """Files that are the same keep their time, so that a second run compiles nothing."""
    kept = set()
    for name in Tracked():
        source, target = os.path.join(ROOT, name), os.path.join(COPY, name)
        if not os.path.isfile(source):
            continue
        kept.add(target)
        with open(source, "rb") as one:
            content = one.read()
        if os.path.exists(target):
            with open(target, "rb") as one:
                if one.read() == content:
                    continue
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "wb") as one:
            one.write(content)
        os.chmod(target, os.stat(source).st_mode)
    for folder, folders, names in os.walk(COPY):
        if folder == COPY and "build" in folders:
            folders.remove("build")
        for name in names:
            if os.path.join(folder, name) not in kept:
                os.remove(os.path.join(folder, name))


def Changes(paths):
    """Each change that can be made: file, number of the line, name, the line as it becomes."""
    found = []
    for name in Tracked():
        if not name.endswith(".cc") or not any(
                name == path or name.startswith(path.rstrip("/") + "/") for path in paths):
            continue
        with open(os.path.join(ROOT, name), encoding="utf-8") as source:
            lines = source.read().split("\n")
        for number, line in enumerate(lines, 1):
            code = line.split("  // ")[0].split(" //")[0]
            if EXEMPT.search(code):
                continue
            for change, (old, new) in CHANGES.items():
                if re.search(old, code):
                    found.append((name, number, change, re.sub(old, new, code, count=1)))
            if STATEMENT.match(code):
                found.append((name, number, "without", re.match(r"\s*", code).group(0) + ";"))
    return found


class Suites:
    def __init__(self, names, jobs):
        self.names, self.jobs = names, jobs
        self.usual = {}

    def Build(self):
        targets = ["ember_%s_tests" % name for name in self.names]
        return subprocess.run(["cmake", "--build", BUILD, "-j", str(self.jobs), "--target", *targets],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)

    def Fails(self, name):
        """How it fails, or an empty text. As many processes as --jobs share the cases."""
        program = os.path.join(BUILD, "tests", "ember_%s_tests" % name)
        began, limit = time.monotonic(), SLOWEST_FACTOR * self.usual.get(name, 1000) + 10
        parts = []
        for index in range(self.jobs):
            environment = dict(os.environ, GTEST_TOTAL_SHARDS=str(self.jobs),
                               GTEST_SHARD_INDEX=str(index), RC_PARAMS="seed=20261121",
                               GTEST_FAIL_FAST="1", GTEST_BRIEF="1")
            parts.append(subprocess.Popen([program], env=environment, stdout=subprocess.DEVNULL,
                                          stderr=subprocess.DEVNULL))
        verdict = ""
        while parts and not verdict:
            time.sleep(0.02)
            if time.monotonic() - began > limit:
                verdict = "hangs"
            for part in list(parts):
                if part.poll() is None:
                    continue
                parts.remove(part)
                if part.returncode != 0:
                    verdict = "fails" if part.returncode > 0 else "signal %d" % -part.returncode
        for part in parts:
            part.kill()
            part.wait()
        if name not in self.usual:
            self.usual[name] = time.monotonic() - began
        return verdict


def Notices(suites):
    for name in suites.names:
        verdict = suites.Fails(name)
        if verdict:
            return "%s %s" % (name, verdict)
    return ""


def Try(change, suites):
    """The suite that notices, "does not compile", or an empty text."""
    name, number, _, becomes = change
    path = os.path.join(COPY, name)
    with open(path, encoding="utf-8") as source:
        before = source.read()
    lines = before.split("\n")
    lines[number - 1] = becomes
    with open(path, "w", encoding="utf-8") as source:
        source.write("\n".join(lines))
    try:
        if suites.Build().returncode != 0:
            return "does not compile"
        return Notices(suites)
    finally:
        with open(path, "w", encoding="utf-8") as source:
            source.write(before)


def Main():
    arguments = Arguments()
    os.makedirs(COPY, exist_ok=True)
    CopyTree()
    subprocess.run(["cmake", "--preset", "clang", "-B", BUILD, "-DEMBER_PCH=ON",
                    "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1 -DNDEBUG"],
                   cwd=COPY, check=True, stdout=subprocess.DEVNULL)
    suites = Suites(arguments.suites.split(","), arguments.jobs)
    built = suites.Build()
    if built.returncode != 0:
        sys.exit("mutants: the unchanged tree does not build:\n" + built.stdout.decode()[-4000:])
    unchanged = Notices(suites)
    if unchanged:
        sys.exit("mutants: unchanged, %s" % unchanged)
    print("unchanged: " + ", ".join("%s %.0f s" % one for one in suites.usual.items()), flush=True)

    changes = Changes(arguments.paths)
    random.Random(arguments.seed).shuffle(changes)
    if arguments.only:
        changes = [one for one in changes if "%s:%d:%s" % one[:3] == arguments.only]
    began, tried, unseen = time.monotonic(), 0, []
    for change in changes:
        if time.monotonic() - began > arguments.seconds:
            break
        verdict = Try(change, suites)
        place = "%s:%d:%s" % change[:3]
        print("%-60s %s" % (place, verdict or "NOTICED BY NONE"), flush=True)
        if verdict == "does not compile":
            continue
        tried += 1
        if not verdict:
            unseen.append((place, change[3].strip()))
    for place, becomes in unseen:
        print("noticed by none: %s\n    %s" % (place, becomes))
    print("%d of %d changes tried, %d noticed by none" % (tried, len(changes), len(unseen)))
    return 1 if unseen else 0


if __name__ == "__main__":
    sys.exit(Main())
