# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""The agent ISO of a deployment: its files, modes and units are those that docs/reference/ignition-files.md lists, and
their contents are those of the inventory.

The ISO is read without code of this collection: ISO9660 with pycdlib, the Ignition config in it with a few lines here.
"""

from __future__ import annotations

import gzip
import io
import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pycdlib
import pytest

from .conftest import Installed
from .lab import ROOT, read_inventory

PAGE = ROOT / "docs" / "reference" / "ignition-files.md"
MEMBER_HEADER = 110


def iso_files(path: Path) -> dict[str, bytes]:
    """Every file of an ISO by its Rock Ridge path."""
    iso = pycdlib.PyCdlib()
    iso.open(str(path))
    try:
        found = {}
        for directory, _directories, names in iso.walk(rr_path="/"):
            for name in names:
                content = io.BytesIO()
                iso.get_file_from_iso_fp(content, rr_path=f"{directory.rstrip('/')}/{name}")
                found[f"{directory.rstrip('/')}/{name}"] = content.getvalue()
        return found
    finally:
        iso.close()


def cpio_members(archive: bytes) -> Iterator[tuple[str, int, bytes]]:
    """(name, mode, content) of a "newc" archive."""
    place = 0
    while archive[place : place + 6] == b"070701":
        fields = [int(archive[place + 6 + 8 * number : place + 14 + 8 * number], 16) for number in range(13)]
        mode, size, name_size = fields[1], fields[6], fields[11]
        name = archive[place + MEMBER_HEADER : place + MEMBER_HEADER + name_size - 1].decode()
        start = (place + MEMBER_HEADER + name_size + 3) // 4 * 4
        if name == "TRAILER!!!":
            return
        yield name, mode, archive[start : start + size]
        place = (start + size + 3) // 4 * 4
    raise ValueError(f"no member at byte {place}")


@pytest.fixture(scope="session")
def config(installed: Installed) -> dict[str, Any]:
    """The Ignition config of the image."""
    files = iso_files(installed.deployment.work_dir / "images" / "agent.x86_64.iso")
    place = json.loads(files["/coreos/igninfo.json"])["file"]
    area = files[f"/{place}"]
    ((name, mode, content),) = cpio_members(gzip.decompress(area.rstrip(b"\0") + b"\0" * 8))
    assert (name, mode & 0o170000) == ("config.ign", 0o100000)
    return dict(json.loads(content))


def documented(heading: str) -> list[list[str]]:
    """The rows of a section's table: cells without their backticks."""
    section = PAGE.read_text().partition(f"\n{heading}\n")[2].partition("\n## ")[0]
    table = section.strip().split("\n\n")[0]
    return [[cell.strip().replace("`", "") for cell in line.strip("|").split("|")] for line in table.splitlines()[2:]]


def pattern(path: str) -> re.Pattern[str]:
    """A path of the table: ``<words>`` match anything within one name."""
    return re.compile(
        "".join("[^/]+" if part.startswith("<") else re.escape(part) for part in re.split(r"(<[^>]+>)", path))
    )


def test_files_and_modes_are_those_of_the_page(config: dict[str, Any]) -> None:
    rows = [(pattern(path), mode, when) for path, mode, when, _reader in documented("## Files")]
    used = set()
    for file in config["storage"]["files"]:
        fitting = [row for row in rows if row[0].fullmatch(file["path"])]
        assert fitting, f"{file['path']} is not on the page"
        row = min(fitting, key=lambda row: row[0].pattern.count("[^/]+"))
        assert f"{file['mode']:04o}" == row[1].split()[0], (
            f"{file['path']} has mode {file['mode']:04o}, the page says {row[1]}"
        )
        assert ("append" in file) == ("appended" in row[1]), file["path"]
        assert file.get("user", {}).get("name", "root") == "root" and file["overwrite"] is ("append" not in file), file[
            "path"
        ]
        used.add(row)
    assert not [row[0].pattern for row in rows if row[2] == "always" and row not in used], (
        "the page names files that are not in the image"
    )
    # What this configuration gives cause for is in the image, what it does not is not.
    missing = {row[2] for row in rows if row not in used}
    assert missing == {
        "fencing credentials name hosts",
        "a fencing credential names only a MAC address (if no host has it, the directory also contains mac_addresses)",
        "nodes are added",
        "nodes are added, whose ignition is served with a CA",
    }, missing


def test_units_are_those_of_the_page(config: dict[str, Any]) -> None:
    """Those that only older releases have are on the page, too."""
    older = {"4.14", "4.19 and 4.20, not enabled"}
    assert sorted(unit["name"] for unit in config["systemd"]["units"]) == sorted(
        row[0] for row in documented("## Units") if row[2] not in older
    )


def test_the_rest_of_the_image_is_the_base_image(installed: Installed) -> None:
    """Same size, same files; only the Ignition area differs (no kernel arguments were asked for)."""
    base, image = (
        Path(installed.deployment.lab.vars["openshift_base_image"]["path"]),
        installed.deployment.work_dir / "images" / "agent.x86_64.iso",
    )
    assert base.stat().st_size == image.stat().st_size
    before, after = iso_files(base), iso_files(image)
    assert [name for name in before if before[name] != after.pop(name)] == ["/images/ignition.img"] and not after


def test_it_holds_what_the_inventory_says(installed: Installed, config: dict[str, Any]) -> None:
    files = {file["path"]: file for file in config["storage"]["files"]}
    cluster = read_inventory("sno")["all"]["vars"]["openshift_cluster"]
    assert f"NODE_ZERO_IP={cluster['rendezvous_ip']}" in text(files["/etc/assisted/rendezvous-host.env"])
    assert text(files["/etc/assisted/hostnames/52:54:00:5a:00:10"]).strip() == "sno-0"
    keyfile = next(text(file) for path, file in files.items() if path.endswith(".nmconnection"))
    assert re.search(r"^address\d=192\.168\.126\.10/24", keyfile, re.MULTILINE), keyfile
    assert config["passwd"]["users"][0]["sshAuthorizedKeys"] == cluster["ssh_public_keys"]
    assert config["ignition"]["version"] == "3.2.0"


def test_ignition_accepts_it(config: dict[str, Any], tmp_path: Path) -> None:
    program = shutil.which("ignition-validate")
    if program is None:
        pytest.skip("ignition-validate (Debian package ignition) is not installed")
    path = tmp_path / "config.ign"
    path.write_text(json.dumps(config))
    done = subprocess.run([program, str(path)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout + done.stderr) == (0, ""), done.stdout + done.stderr


def text(file: dict[str, Any]) -> str:
    """A file's content, given as a data URL."""
    source = (file["append"][0] if "append" in file else file["contents"])["source"]
    assert source.startswith("data:"), source
    with urlopen(source) as opened:
        return str(opened.read().decode())
