# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Follow docs/how-to/capi-cluster.md word for word: its commands run as they are printed, in a directory with the
inventory of the page.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.zerotouch.openshift.plugins.modules import assisted_control_plane

from .conftest import MakeLab, canary_inventory, canary_site
from .lab import BIN, ROOT, Deployment

PAGE = ROOT / "docs" / "how-to" / "capi-cluster.md"
# Variables with values of the lab, or of the site of the page's reader.
OF_THE_SITE = {"pull_secret", "ssh_public_keys"}


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)


def commands() -> list[str]:
    return [line for block in blocks("bash") for line in block.splitlines()]


def without_site(variables: dict[str, Any]) -> dict[str, Any]:
    cluster = {name: value for name, value in variables["openshift_cluster"].items() if name not in OF_THE_SITE}
    return {**variables, "openshift_cluster": cluster}


def test_the_inventory_of_the_page() -> None:
    """The variables of the page are those of the inventory that it names."""
    shown = without_site(yaml.safe_load(blocks("yaml")[0])["all"]["vars"])
    shipped = without_site(yaml.safe_load((ROOT / "inventories" / "capi" / "hosts.yml").read_text())["all"]["vars"])
    assert shown["openshift_cluster"].items() <= shipped["openshift_cluster"].items()
    assert {name: shipped.get(name) for name in ("openshift_install_method", "openshift_capi")} == {
        name: shown[name] for name in ("openshift_install_method", "openshift_capi")
    }


def test_the_task_of_the_page() -> None:
    """Its options are those of the module."""
    (task,) = yaml.safe_load(blocks("yaml")[1])
    (options,) = task.values()
    connection = {"kubeconfig"}
    assert set(options) - connection <= set(assisted_control_plane.argument_spec())


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_the_page(make_lab: MakeLab, tmp_path: Path) -> None:
    rack = Deployment(
        make_lab(tmp_path, canary_site("capi", tmp_path)), canary_inventory("capi", tmp_path), tmp_path, "clusters/edge"
    )
    rack.inventory.rename(tmp_path / "hosts.yml")
    # What the site of the reader has without being told: the lab's certificates and addresses.
    (tmp_path / "group_vars").mkdir()
    (tmp_path / "group_vars" / "all.yml").write_bytes(rack.lab.vars_file.read_bytes())
    rack.environment["PATH"] = f"{BIN}:/usr/bin:/bin"
    check, create, more, fewer, destroy = commands()

    planned = rack.shell(check)
    assert planned.ok and "create Cluster edge/edge" in planned.output and not sum(rack.lab.writes().values()), (
        planned.output
    )
    created = rack.shell(create)
    assert created.ok and "6 nodes ready" in created.output, created.output
    assert (tmp_path / "clusters" / "edge" / "auth" / "kubeconfig").is_file()
    again = rack.shell(create)
    assert again.ok and again.changed == 0, again.output
    for command, workers in ((more, 5), (fewer, 3)):
        scaled = rack.shell(command)
        ready = [
            name for name, state in rack.lab.nodes("edge").items() if state == "Ready" and name.startswith("worker")
        ]
        assert scaled.ok and len(ready) == workers, scaled.output
    removed = rack.shell(destroy)
    assert removed.ok and set(rack.lab.powers().values()) == {"Off"}, removed.output
