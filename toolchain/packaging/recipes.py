#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""EmberSM: reads the Buildroot package and the Yocto recipe as far as that goes without either.

Usage: recipes.py buildroot|yocto

Checks the variables that those systems rely on, and prints the options that they would give to
cmake; status 1 and a sentence when something is missing, contradicts the tree, or is not known.
"""
import hashlib
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]


def fail(sentence):
    print(sentence, file=sys.stderr)
    sys.exit(1)


def assignments(text):
    """NAME = value, with lines that a backslash goes on; of several the last one."""
    text = re.sub(r"\\\n\s*", " ", text)
    found = {}
    for name, value in re.findall(r'^([A-Z_]+(?::\$\{PN\})?)\s*\+?\??=\s*"?([^"\n]*)"?$', text, re.M):
        found[name] = " ".join(value.split())
    return found


def version():
    return re.search(r"project\(EmberSM VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]


def cmake_options(text):
    known = set()
    for page in list(ROOT.glob("toolchain/**/*.cmake")) + [ROOT / "CMakeLists.txt"]:
        known |= set(re.findall(r"\b(EMBER_[A-Z0-9_]+)\b", page.read_text()))
    options = []
    for name, value in re.findall(r"-D([A-Z_]+)=(\S+)", text):
        if name not in known:
            fail(f"cmake does not know {name}")
        if "$" not in value:  # A path of the other system: the host's flatc does here.
            options.append(f"-D{name}={value}")
    return options


def buildroot():
    text = (HERE / "buildroot/embersm.mk").read_text()
    config = (HERE / "buildroot/Config.in").read_text()
    found = assignments(text)
    for name in ("VERSION", "SITE", "SITE_METHOD", "LICENSE", "LICENSE_FILES", "DEPENDENCIES", "CONF_OPTS"):
        if f"EMBERSM_{name}" not in found:
            fail(f"embersm.mk does not set EMBERSM_{name}")
    if found["EMBERSM_VERSION"] != version():
        fail(f"embersm.mk is of {found['EMBERSM_VERSION']}, the tree of {version()}")
    if "$(eval $(cmake-package))" not in text:
        fail("embersm.mk is no cmake-package")
    for name in found["EMBERSM_DEPENDENCIES"].split():
        symbol = "BR2_PACKAGE_" + name.upper().replace("-", "_")
        if not name.startswith("host-") and f"select {symbol}" not in config:
            fail(f"Config.in does not select {symbol}")
    for name in found["EMBERSM_LICENSE_FILES"].split():
        if not (ROOT / name).exists():
            fail(f"there is no licence file {name}")
    for line in config.splitlines():
        if line.startswith("  "):
            fail(f"Config.in is indented by spaces: {line.strip()}")
    return found["EMBERSM_CONF_OPTS"]


def yocto():
    recipe, = (HERE / "yocto").rglob("embersm_*.bb")
    text = recipe.read_text()
    found = assignments(text)
    for name in ("SUMMARY", "LICENSE", "LIC_FILES_CHKSUM", "DEPENDS", "EXTRA_OECMAKE"):
        if name not in found:
            fail(f"{recipe.name} does not set {name}")
    if recipe.stem != f"embersm_{version()}":
        fail(f"{recipe.name} is not of {version()}")
    told = re.search(r"file://(\S+);md5=([0-9a-f]+)", found["LIC_FILES_CHKSUM"])
    if hashlib.md5((ROOT / told[1]).read_bytes()).hexdigest() != told[2]:
        fail(f"{told[1]} has another checksum than {recipe.name} says")
    if "inherit" not in text or "cmake" not in re.search(r"^inherit (.*)$", text, re.M)[1].split():
        fail(f"{recipe.name} does not inherit cmake")
    layer = assignments((HERE / "yocto/conf/layer.conf").read_text())
    if "LAYERSERIES_COMPAT_embersm" not in (HERE / "yocto/conf/layer.conf").read_text() or not layer:
        fail("layer.conf names no series")
    return found["EXTRA_OECMAKE"]


def main():
    readers = {"buildroot": buildroot, "yocto": yocto}
    if len(sys.argv) != 2 or sys.argv[1] not in readers:
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    print(" ".join(cmake_options(readers[sys.argv[1]]())))


if __name__ == "__main__":
    main()
