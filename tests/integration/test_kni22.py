# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""kni22, the input of a published walkthrough: unmodified it fails with one located error, with that corrected it deploys with four kinds of warnings."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

from conftest import ROOT, Site

FILES = ROOT / "tests" / "unit" / "data" / "kni22"
HERE = Path(__file__).parent / "kni22"


def take_over(directory: Path, *, corrected: bool) -> Path:
    config = directory / "kni22"
    config.mkdir()
    for file in FILES.iterdir():
        text = file.read_text()
        if corrected:
            text = re.sub(r"^pullSecret: ''(.*)''$", r"pullSecret: '\1'", text, flags=re.MULTILINE)
        (config / file.name).write_text(text)
    return config


def test_unmodified_it_fails_with_the_located_pull_secret(make_site: Callable[..., Site]) -> None:
    site = make_site("kni22", HERE / "hosts.yml", HERE / "site.yml")
    config = take_over(site.directory, corrected=False)
    line = (config / "install-config.yaml").read_text().splitlines().index(
        next(x for x in (config / "install-config.yaml").read_text().splitlines() if "pullSecret" in x)
    ) + 1
    run = site.deploy(extra={"openshift_config_dir": str(config)})
    assert not run.ok
    assert f"install-config.yaml:{line}:" in run.output and "pullSecret: '{" in run.output.replace('\\"', '"')
    assert "ZHVtbXk6ZHVtbXk" not in run.output, "the pull secret is shown"
    assert site.lab.bmc_writes() == 0 and not site.work_dir.exists()


def test_corrected_it_deploys_with_exactly_the_warnings_named(make_site: Callable[..., Site]) -> None:
    site = make_site("kni22", HERE / "hosts.yml", HERE / "site.yml")
    config = take_over(site.directory, corrected=True)
    before = {file.name: file.read_bytes() for file in config.iterdir()}
    run = site.deploy(extra={"openshift_config_dir": str(config)})
    assert run.ok, run.output
    assert {file.name: file.read_bytes() for file in config.iterdir()} == before, "the user's own files were changed"
    problems = json.loads((site.work_dir / "report.json").read_text())["warnings"]
    kinds = {kind for text in problems for kind in ("upgraded", "defined twice", "expired", "prefix") if kind in json.dumps(text)}
    assert kinds == {"upgraded", "defined twice", "expired", "prefix"}, problems
    assert site.deploy(extra={"openshift_config_dir": str(config)}).changed == 0
