# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test kni22, the input of a published walkthrough: unmodified it fails with one located error; with that error
corrected it deploys with exactly the expected warnings.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from .conftest import MakeLab
from .lab import ROOT, Deployment

FILES = ROOT / "tests" / "unit" / "data" / "kni22"
HERE = Path(__file__).parent / "kni22"

# Mistakes in kni22: the old layout, hosts in both files, an expired certificate, a prefix that is not the machine
# network's.
NAMED = {
    "old list of mirrors": "imageContentSources is deprecated, please use ImageDigestSources",
    "old API address": "apiVIP is deprecated and read as apiVIPs",
    "old ingress address": "ingressVIP is deprecated and read as ingressVIPs",
    "old layout": "this is the layout before the first release",
    "hosts twice": "hosts from install-config.yaml are ignored",
    "certificate": "the certificate of provisioning.schmaustech.com expired on 2023-02-16",
    "prefix": "addresses in machine network 192.168.0.0/24 have prefix length 23 instead of 24",
}


@pytest.fixture
def kni22(make_lab: MakeLab, tmp_path: Path) -> Iterator[Deployment]:
    """The walkthrough's machines; its two files are in ``config``, as published."""
    config = tmp_path / "config"
    config.mkdir()
    for file in FILES.iterdir():
        (config / file.name).write_bytes(file.read_bytes())
    lab = make_lab(tmp_path, HERE / "site.yml")
    yield Deployment(lab, HERE / "hosts.yml", tmp_path)
    assert not lab.down(), "answers of the lab's service are not as the API description has them"


def test_as_published_and_corrected(kni22: Deployment) -> None:
    config = kni22.directory / "config"
    extra = {"openshift_config_dir": str(config)}
    published = config / "install-config.yaml"
    lines = published.read_text().splitlines()
    number = next(number for number, line in enumerate(lines, 1) if line.startswith("pullSecret"))

    refused = kni22.refused("-vvv", "--diff", extra=extra)
    (error,) = [problem for problem in refused.failure["problems"] if problem["severity"] == "error"]
    assert (error["file"], error["line"], error["path"]) == (str(published), number, "pullSecret"), error
    assert "ZHVtbXk6ZHVtbXk" not in refused.output, "the pull secret is shown"
    # The correction shows the structure, not the secret.
    assert """pullSecret: '{"auths":""" in refused.message, refused.message
    assert set(kni22.lab.writes().values()) == {0} and not kni22.lab.methods() and not kni22.work_dir.exists()

    published.write_text(
        re.sub(r"^pullSecret: ''(.*)''$", r"pullSecret: '\1'", published.read_text(), flags=re.MULTILINE)
    )
    provided = {file.name: file.read_bytes() for file in config.iterdir()}
    run = kni22.deployed(extra=extra)
    assert {file.name: file.read_bytes() for file in config.iterdir()} == provided, "the user's own files were changed"
    reported = re.findall(r"^\[WARNING\]: (.*)", run.output, re.MULTILINE)
    reported = json.loads((kni22.work_dir / "report.json").read_text())["warnings"]
    for warnings in (reported, reported):
        assert sorted(name for text in warnings for name, words in NAMED.items() if words in text) == sorted(NAMED), (
            warnings
        )
        assert len(warnings) == len(NAMED), warnings
    kni22.lab.assert_nothing_left()
    assert kni22.deployed(extra=extra).changed == 0
