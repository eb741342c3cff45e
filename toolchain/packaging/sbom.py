#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""EmberSM: the software bill of materials of a stage directory, as SPDX 2.3 JSON.

Usage: sbom.py STAGE > embersm.spdx.json
       sbom.py --check embersm.spdx.json STAGE

Equal stages give equal documents: the time is SOURCE_DATE_EPOCH, the namespace a name-based UUID.
What is linked statically is told by hand below, since an archive leaves no trace in a program; what
is linked dynamically is read from the programs.
"""
import datetime
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import uuid
from urllib.parse import quote

DEBIAN = "Organization: Debian"
ROOT = pathlib.Path(__file__).resolve().parents[2]
# Debian package, how it comes in, which licence its copyright file states.
STATIC = {
    "libmbedtls-dev": ("STATIC_LINK", "Apache-2.0 OR GPL-2.0-or-later"),
    "libflatbuffers-dev": ("STATIC_LINK", "Apache-2.0"),
    "libcli11-dev": ("STATIC_LINK", "BSD-3-Clause"),
    "nlohmann-json3-dev": ("STATIC_LINK", "MIT"),
}
BUILD_TOOLS = {
    "flatbuffers-compiler": "Apache-2.0",
    "g++": "GPL-3.0-or-later WITH GCC-exception-3.1",
    "cmake": "BSD-3-Clause",
}
LICENCES = {
    "libc6": "LGPL-2.1-or-later", "libstdc++6": "GPL-3.0-or-later WITH GCC-exception-3.1",
    "libgcc-s1": "GPL-3.0-or-later WITH GCC-exception-3.1",
    "libibumad3": "GPL-2.0-only OR Linux-OpenIB", "libfmt9": "MIT", "libre2-9": "BSD-3-Clause",
}
# Words of licence expressions; Linux-OpenIB is SPDX's name of the OpenIB BSD licence.
KNOWN_LICENCES = {"AND", "OR", "WITH", "NOASSERTION", "Apache-2.0", "BSD-3-Clause", "MIT",
                  "GPL-2.0-only", "GPL-2.0-or-later", "GPL-3.0-or-later", "LGPL-2.1-or-later",
                  "GCC-exception-3.1", "Linux-OpenIB"}


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def version():
    text = (ROOT / "CMakeLists.txt").read_text()
    return re.search(r"project\(EmberSM VERSION ([0-9.]+)", text)[1]


def installed(package):
    return run("dpkg-query", "-W", "-f", "${Version}", package)


def programs(stage):
    for path in sorted(stage.rglob("*")):
        if path.is_file() and not path.is_symlink() and path.read_bytes()[:4] == b"\x7fELF":
            yield path


def linked(stage):
    """Debian packages of the shared libraries that the programs name."""
    # Cross compilers bring libraries of the same names, elsewhere.
    folder, found = run("gcc", "-print-multiarch").strip(), set()
    for program in programs(stage):
        for soname in re.findall(r"NEEDED +(\S+)", run("objdump", "-p", str(program))):
            if soname.startswith("ld-linux"):
                continue
            owners = run("dpkg-query", "-S", f"*/{folder}/{soname}").splitlines()
            found.add(owners[0].split(":")[0])
    return sorted(found)


def identifier(name):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name)


def package(name, release, licence, supplier):
    row = {
        "SPDXID": identifier(name), "name": name, "versionInfo": release,
        "downloadLocation": "NOASSERTION", "filesAnalyzed": False, "supplier": supplier,
        "licenseConcluded": "NOASSERTION", "licenseDeclared": licence, "copyrightText": "NOASSERTION",
    }
    if supplier == DEBIAN:  # By this name scanners look for known defects.
        row["externalRefs"] = [{
            "referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
            "referenceLocator": f"pkg:deb/debian/{quote(name)}@{quote(release)}?distro=bookworm"}]
    return row


def verification_code(files):
    """SPDX 2.3, 7.9: the SHA-1 of all files' SHA-1s, sorted and without a separator."""
    sums = sorted(row["checksumValue"] for file in files for row in file["checksums"]
                  if row["algorithm"] == "SHA1")
    return hashlib.sha1("".join(sums).encode()).hexdigest()


def document(stage):
    release = version()
    when = datetime.datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", "0")),
                                           datetime.timezone.utc)
    own = package("embersm", release, "Apache-2.0", "Organization: EmberSM maintainers")
    own["primaryPackagePurpose"] = "APPLICATION"
    own["filesAnalyzed"] = True  # Only such a package may contain files.
    own["licenseInfoFromFiles"] = ["Apache-2.0"]
    packages, files = [own], []
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", own["SPDXID"])]
    for name, (relation, licence) in STATIC.items():
        packages.append(package(name, installed(name), licence, DEBIAN))
        relations.append((own["SPDXID"], relation, identifier(name)))
    for name in linked(stage):
        licence = LICENCES.get(name, "NOASSERTION")
        packages.append(package(name, installed(name), licence, DEBIAN))
        relations.append((own["SPDXID"], "DYNAMIC_LINK", identifier(name)))
    for name, licence in BUILD_TOOLS.items():
        packages.append(package(name, installed(name), licence, DEBIAN))
        relations.append((identifier(name), "BUILD_TOOL_OF", own["SPDXID"]))
    for path in sorted(stage.rglob("*")):
        if not path.is_file() or path.is_symlink():
            continue
        octets, name = path.read_bytes(), "./" + str(path.relative_to(stage))
        files.append({
            "SPDXID": identifier("File-" + name[2:]), "fileName": name,
            "checksums": [{"algorithm": word, "checksumValue": hashlib.new(word, octets).hexdigest()}
                          for word in ("SHA1", "SHA256")],
            "licenseConcluded": "Apache-2.0", "licenseInfoInFiles": ["Apache-2.0"],
            "copyrightText": "NOASSERTION",
        })
        relations.append((own["SPDXID"], "CONTAINS", files[-1]["SPDXID"]))
    own["packageVerificationCode"] = {"packageVerificationCodeValue": verification_code(files)}
    content = json.dumps([packages, files, relations], sort_keys=True)
    return {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"embersm-{release}",
        "documentNamespace": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_OID, content)}",
        "creationInfo": {"created": when.strftime("%Y-%m-%dT%H:%M:%SZ"),
                         "creators": ["Tool: embersm-sbom"]},
        "packages": packages, "files": files,
        "relationships": [{"spdxElementId": a, "relationshipType": b, "relatedSpdxElement": c}
                          for a, b, c in relations],
    }


def check(page, stage):
    """What a reader of SPDX 2.3 relies on; a list of findings."""
    found = []
    for key in ("spdxVersion", "dataLicense", "SPDXID", "name", "documentNamespace", "creationInfo"):
        if not page.get(key):
            found.append(f"{key} is missing")
    elements = [page["SPDXID"]] + [row["SPDXID"] for row in page["packages"] + page["files"]]
    if len(set(elements)) != len(elements):
        found.append("an SPDXID occurs twice")
    for row in elements:
        if not re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", row):
            found.append(f"{row} is not an SPDXID")
    for row in page["relationships"]:
        for end in (row["spdxElementId"], row["relatedSpdxElement"]):
            if end not in elements:
                found.append(f"a relationship names {end}, which is not there")
    for row in page["packages"]:
        for key in ("name", "versionInfo", "downloadLocation", "licenseDeclared"):
            if not row.get(key):
                found.append(f"{row['SPDXID']} has no {key}")
        if row["filesAnalyzed"]:
            code = row["packageVerificationCode"]["packageVerificationCodeValue"]
            if code != verification_code(page["files"]):
                found.append(f"{row['SPDXID']} has another verification code than its files")
    for row in page["packages"] + page["files"]:
        for key in ("licenseDeclared", "licenseConcluded"):
            unknown = set(re.findall(r"[A-Za-z0-9.+-]+", row.get(key, ""))) - KNOWN_LICENCES
            if unknown:
                found.append(f"{row['SPDXID']}: no licence of SPDX's list: {', '.join(unknown)}")
    told = {row["fileName"]: row["checksums"] for row in page["files"]}
    for path in sorted(stage.rglob("*")):
        if path.is_file() and not path.is_symlink():
            sums = told.pop("./" + str(path.relative_to(stage)), [])
            wanted = hashlib.sha256(path.read_bytes()).hexdigest()
            if wanted not in [row["checksumValue"] for row in sums]:
                found.append(f"{path.name} has another checksum, or none")
    found += [f"{name} is told and not there" for name in told]
    return found


def main():
    if len(sys.argv) == 4 and sys.argv[1] == "--check":
        page = json.loads(pathlib.Path(sys.argv[2]).read_text())
        findings = check(page, pathlib.Path(sys.argv[3]))
        print("\n".join(f"sbom: {row}" for row in findings), end="\n" if findings else "")
        return 1 if findings else 0
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    json.dump(document(pathlib.Path(sys.argv[1])), sys.stdout, indent=1)
    print()
    return 0


if __name__ == "__main__":
    sys.exit(main())
