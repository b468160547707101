"""Prints an SPDX document: sbom.py VERSION FOLDER-OF-PROGRAMS SWIFT-VERSION, for scripts/sbom."""

import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import time
import uuid

PROGRAMS = ["proxyd", "proxyctl", "proxyship"]
SWIFT_LICENSE = "Apache-2.0 WITH Swift-exception"
# The programs that have modules with loggers in them.
LOGGING = {"proxyd", "proxyctl"}
LICENSES = {"swift-argument-parser": SWIFT_LICENSE, "swift-log": "Apache-2.0"}


def output(*command):
    return subprocess.run(
        command, check=True, stdout=subprocess.PIPE, text=True, timeout=60,
        env={**os.environ, "LC_ALL": "C.UTF-8"}).stdout


def identifier(name):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name)


def package(name, version, location, license_name, purpose, purl=None, **more):
    return {
        "SPDXID": identifier(name),
        "name": name,
        "versionInfo": version,
        "downloadLocation": location,
        "filesAnalyzed": False,
        "licenseConcluded": "NOASSERTION",
        "licenseDeclared": license_name,
        "copyrightText": "NOASSERTION",
        "supplier": "NOASSERTION",
        "primaryPackagePurpose": purpose,
        "externalRefs": [{
            "referenceCategory": "PACKAGE-MANAGER",
            "referenceType": "purl",
            "referenceLocator": purl,
        }] if purl else [],
        **more,
    }


def swift_packages():
    pins = json.loads(pathlib.Path("Package.resolved").read_text())["pins"]
    for pin in sorted(pins, key=lambda pin: pin["identity"]):
        version, revision = pin["state"].get("version"), pin["state"]["revision"]
        location = pin["location"].removesuffix(".git")
        yield package(
            pin["identity"], version or revision, f"git+{location}.git@{revision}",
            LICENSES.get(pin["identity"], "NOASSERTION"), "LIBRARY",
            f"pkg:swift/{location.split('://')[-1]}@{version or revision}")


def needed(program):
    """The names of the libraries that a program itself asks for, with where they are."""
    names = re.findall(r"\(NEEDED\).*\[(.*)\]", output("readelf", "--dynamic", program))
    places = dict(re.findall(r"^\s*(\S+) => (/\S+) \(", output("ldd", program), re.M))
    return [places[name] for name in names if name in places]


def system_packages(folder):
    """Debian packages by name, each with the programs that load something of it."""
    users = {}
    for program in PROGRAMS:
        for path in needed(folder / program):
            owner = owner_of(path)
            if owner:
                users.setdefault(owner, set()).add(program)
    return users


def owner_of(path):
    # Packages and links of the system have different ideas of where /lib is.
    real = os.path.realpath(path)
    for candidate in (path, real, real.removeprefix("/usr")):
        found = subprocess.run(
            ["dpkg-query", "--search", candidate], stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True, check=False, timeout=60)
        if found.returncode == 0:
            return found.stdout.split(":")[0].split(",")[0]
    return None


def system_package(name):
    version, architecture, homepage = output(
        "dpkg-query", "--show", "--showformat", "${Version}\t${Architecture}\t${Homepage}\n",
        name).splitlines()[0].split("\t")
    more = {"homepage": homepage} if homepage.startswith("http") else {}
    escaped = version.replace("+", "%2B").replace(":", "%3A")
    return package(
        name, version, "NOASSERTION", "NOASSERTION", "LIBRARY",
        f"pkg:deb/debian/{name}@{escaped}?arch={architecture}", **more)


def relationship(one, kind, other):
    return {"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other}


def checksum(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def main():
    version, folder, swift_version = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
    programs = [
        package(name, version, "NOASSERTION", "MIT", "APPLICATION",
                checksums=[{"algorithm": "SHA256", "checksumValue": checksum(folder / name)}])
        for name in PROGRAMS
    ]
    inside = [*swift_packages(), package(
        "swift", swift_version, "https://www.swift.org/install/", SWIFT_LICENSE, "LIBRARY")]
    users = system_packages(folder)
    outside = [system_package(name) for name in sorted(users)]
    relationships = [
        relationship("SPDXRef-DOCUMENT", "DESCRIBES", program["SPDXID"]) for program in programs]
    for program in programs:
        relationships += [
            relationship(program["SPDXID"], "STATIC_LINK", part["SPDXID"]) for part in inside
            if part["name"] != "swift-log" or program["name"] in LOGGING]
        relationships += [
            relationship(program["SPDXID"], "DYNAMIC_LINK", part["SPDXID"]) for part in outside
            if program["name"] in users[part["name"]]]
    document = {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"proxyd-{version}",
        "creationInfo": {"creators": ["Tool: proxyd-sbom"]},
        "packages": programs + inside + outside,
        "relationships": relationships,
    }
    # The same parts at the same time make the same document.
    contents = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(document, sort_keys=True))
    document["documentNamespace"] = f"urn:uuid:{contents}"
    moment = time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", time.time())))
    document["creationInfo"]["created"] = time.strftime("%Y-%m-%dT%H:%M:%SZ", moment)
    print(json.dumps(document, indent=2))


main()
