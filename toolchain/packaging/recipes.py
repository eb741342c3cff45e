#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""EmberSM: reads the Buildroot package and the Yocto recipe as far as that goes without either.

Usage: recipes.py buildroot|yocto

Buildroot's makefile is read by make and its menu by kconfiglib, with the few definitions of
Buildroot that they need; of the recipe the variables are read. Prints the options that both would
give to cmake; status 1 and a sentence when something is missing, contradicts the tree, or is not
known.
"""
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import kconfiglib

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


# What Buildroot does with a package's makefile, as far as names and folders go: the name is that of
# the folder, and $(eval $(cmake-package)) takes the variables that begin with it.
MAKEFILE = """
pkgdir = $(dir $(lastword $(MAKEFILE_LIST)))
pkgname = $(lastword $(subst /, ,$(pkgdir)))
upper = $(shell echo $(1) | tr a-z- A-Z_)
define take
$(2)_PKGDIR = $(pkgdir)
TAKEN += $(2)
endef
cmake-package = $(call take,$(pkgname),$(call upper,$(pkgname)))
HOST_DIR = $$(HOST_DIR)
INSTALL = install
include $(BR2_EXTERNAL_EMBERSM_PATH)/external.mk
show:
\t$(foreach p,$(TAKEN),$(foreach v,%s,$(info $(p)_$(v)=$($(p)_$(v)))))@:
init:
\t$(EMBERSM_INSTALL_INIT_SYSV)
"""
BUILDROOT_NAMES = ("VERSION", "SITE", "SITE_METHOD", "LICENSE", "LICENSE_FILES", "DEPENDENCIES",
                   "CONF_OPTS")


def make(tree, target, *variables):
    text = MAKEFILE % " ".join(BUILDROOT_NAMES)
    done = subprocess.run(["make", "-s", "-f", "-", f"BR2_EXTERNAL_EMBERSM_PATH={tree}", *variables,
                           target], input=text, capture_output=True, text=True)
    if done.returncode != 0:
        fail(f"make: {done.stderr}")
    return dict(line.split("=", 1) for line in done.stdout.splitlines() if "=" in line)


def buildroot_menu(tree, dependencies):
    """Config.in as Buildroot's kconfig reads it: what it needs, selects, and says when it cannot."""
    config = (tree / "package/embersm/Config.in").read_text()
    names = sorted(set(re.findall(r"BR2_[A-Z0-9_]+", config)) - {"BR2_PACKAGE_EMBERSM"})
    known = "".join(f'config {name}\n\tbool "{name}"\n' for name in names)
    with tempfile.TemporaryDirectory() as folder:
        top = pathlib.Path(folder, "Config.in")
        top.write_text(known + f'source "{tree}/Config.in"\n')
        os.environ["BR2_EXTERNAL_EMBERSM_PATH"] = str(tree)
        menu = kconfiglib.Kconfig(str(top), warn_to_stderr=False)
    if menu.warnings:
        fail("; ".join(menu.warnings))
    selected = {name for name in names if name.startswith("BR2_PACKAGE_")}
    needed = [name for name in names if name not in selected]
    for name in needed:
        menu.syms[name].set_value(2)
    own = menu.syms["BR2_PACKAGE_EMBERSM"]
    own.set_value(2)
    if own.tri_value != 2:
        fail("BR2_PACKAGE_EMBERSM cannot be chosen where all that it needs is there")
    for name in dependencies:
        symbol = "BR2_PACKAGE_" + name.upper().replace("-", "_")
        if not name.startswith("host-") and menu.syms[symbol].tri_value != 2:
            fail(f"Config.in does not select {symbol}")
    for name in needed:
        menu.syms[name].set_value(0)
        if own.tri_value != 0:
            fail(f"BR2_PACKAGE_EMBERSM can be chosen without {name}")
        menu.syms[name].set_value(2)


def buildroot():
    tree = HERE / "buildroot"
    if not re.search(r"^name: EMBERSM$", (tree / "external.desc").read_text(), re.M):
        fail("external.desc does not name the tree EMBERSM")
    found = make(tree, "show")
    for name in BUILDROOT_NAMES:
        if not found.get(f"EMBERSM_{name}"):
            fail(f"embersm.mk does not set EMBERSM_{name}")
    if found["EMBERSM_VERSION"] != version():
        fail(f"embersm.mk is of {found['EMBERSM_VERSION']}, the tree of {version()}")
    if pathlib.Path(found["EMBERSM_SITE"]).resolve() != ROOT:
        fail(f"EMBERSM_SITE is {found['EMBERSM_SITE']}, which is not this tree")
    for name in found["EMBERSM_LICENSE_FILES"].split():
        if not (ROOT / name).exists():
            fail(f"there is no licence file {name}")
    with tempfile.TemporaryDirectory() as folder:
        make(tree, "init", f"TARGET_DIR={folder}")
        if not os.access(f"{folder}/etc/init.d/S60embersm", os.X_OK):
            fail("EMBERSM_INSTALL_INIT_SYSV installs no /etc/init.d/S60embersm")
    buildroot_menu(tree, found["EMBERSM_DEPENDENCIES"].split())
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
    folder = re.search(r"THISDIR'\), '([./]+)'", found["EXTERNALSRC"])[1]
    if (recipe.parent / folder).resolve() != ROOT:
        fail(f"EXTERNALSRC is {recipe.parent / folder}, which is not this tree")
    for name in re.findall(r"\$\{S\}/(\S+)", text):
        if not (ROOT / name).exists():
            fail(f"{recipe.name} installs {name}, which is not there")
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
