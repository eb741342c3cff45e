# SPDX-License-Identifier: Apache-2.0
# EmberSM: cases: what the pages say of this suite is so.
"""No subnet is brought up: the pages are read, and the register of cases, and what is installed."""
import fnmatch
import os
import re
import subprocess

import context as surroundings
from cases import CASES, Named
from checks import Expect

RESULTS = "tests/interop/RESULTS.md"
PAGES = ("docs/compatibility.md", "docs/survival.md", "docs/moving-from-opensm.md",
         "docs/replication.md", "docs/security.md", RESULTS)
ENGINES = ("minhop", "updn", "dnup", "dor", "ftree", "lash", "dfsssp", "sssp")
FILES = (".html", ".dump", ".lst", ".conf", ".net")
SPAN = re.compile(r"`([a-z-]+\.[A-Za-z0-9.*_-]+)`(?::\s+([0-9]+)\s+cases)?")


def _Page(name):
    with open(os.path.join(surroundings.ROOT, name), encoding="utf-8") as file:
        return file.read()


@Named("pages.cases", kinds=("embersm",))
def Cases(context):
    """Each case that a page names is there, and a number of cases beside a name is theirs."""
    del context
    groups = {name.split(".")[0] for name in CASES}
    named = counted = 0
    for page in PAGES:
        for name, count in SPAN.findall(_Page(page)):
            if name.split(".")[0] not in groups or name.endswith(FILES):
                continue
            found = fnmatch.filter(CASES, name)
            Expect(found, "%s names a case that is not there: %s", page, name)
            Expect(not count or len(found) == int(count), "%s: %s are %d cases, not %s", page, name,
                   len(found), count)
            named, counted = named + 1, counted + bool(count)
    golden = os.path.join(surroundings.ROOT, "tests", "golden")
    recorded = sum(name.endswith(".txt") for engine in ENGINES
                   for name in os.listdir(os.path.join(golden, engine)))
    told = re.search(r"`tests/golden` holds ([0-9]+) more recordings", _Page(RESULTS))
    Expect(told and int(told[1]) == recorded, "tests/golden has %d recordings", recorded)
    Expect(named >= 40 and counted >= 3, "the pages name %d cases and count %d times", named,
           counted)


@Named("pages.versions", kinds=("embersm",))
def Versions(context):
    """The versions of others' programs at the head of the page are those that are installed."""
    del context
    page = _Page("docs/compatibility.md")
    line = re.search(r"^Debian 12: (.*)\.$", page, re.M)
    Expect(line, "the page does not say beside what it was tried")
    packages = {"ibsim": "ibsim-utils"}
    for entry in line[1].split(", "):
        program, version = entry.split()
        package = packages.get(program, program)
        said = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", package], check=True,
                              capture_output=True, text=True).stdout
        Expect(re.match(re.escape(version) + r"([.+~-]|$)", said), "%s is %s here, not %s", package,
               said, version)
    opensm = re.search(r"opensm ([0-9.]+),", line[1])[1]
    for name in PAGES:
        others = set(re.findall(r"\bOpenSM (3\.3\.[0-9]+)", _Page(name))) - {opensm}
        Expect(not others, "%s: cases run beside OpenSM %s, not %s", name, opensm, others)


@Named("pages.first-contact", kinds=("embersm",))
def FirstContact(context):
    """What make run prints is short, and speaks of the subnet alone; it ends with what to do next."""
    with open(os.path.join(surroundings.ROOT, "Makefile"), encoding="utf-8") as file:
        recipe = re.search(r"^run: .*\n((?:\t.*\n)+)", file.read(), re.M)[1]
    options = re.search(r"embersm --sim\$\(.*?\)\) (.*?) *\\", recipe)[1].split()
    Expect("--once" in options and "--brief" in options, "make run has %s", options)
    after = re.findall(r'echo "([^"]*)"', recipe)
    Expect(after and after[0].startswith("Next: "), "make run ends with %s", after)
    program = context.tools.Program("embersm")
    done = subprocess.run([program, "--sim=ft3:8"] + options, capture_output=True, text=True,
                          timeout=60, check=False)
    lines = done.stdout.splitlines() + done.stderr.splitlines()
    Expect(done.returncode == 0 and lines[0] == "SUBNET UP", "%d: %s", done.returncode, lines)
    # A line more says on the first day that packages are installed.
    Expect(len(lines) + len(after) <= 9, "%d lines: %s", len(lines) + len(after), lines)
    for word in ("WARNING", "bytes", "0.000"):
        Expect(not any(word in line for line in lines), "%s: %s", word, lines)
