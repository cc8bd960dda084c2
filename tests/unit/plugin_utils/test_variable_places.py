# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test finding the file and line of a mistake in a YAML inventory, in every place that can define the variable."""

from __future__ import annotations

from pathlib import Path

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.problems import Problem
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.variable_places import variable_files, with_places

FILES = {
    "site/hosts.yml": """all:
  vars:
    openshift_cluster:
      name: demo
      api_vips: [10.0.0.1,
        10.0.0.2]
  children:
    control_plane:
      hosts:
        m-0:
          openshift_host:
            bmc: {address: x}
        m-1: {openshift_host: {hostname: 7}}
        m-2:
""",
    "site/group_vars/workers.yml": "openshift_host_defaults:\n  bmc:\n    username: !vault abc\n",
    "site/group_vars/all/vault.yml": "$ANSIBLE_VAULT;1.1;AES256\n6162\n",
    "site/host_vars/m-2.yaml": "# comment\nopenshift_host:\n  interfaces:\n    - {name: a}\n    - {name: b}\n",
    "site/notes.txt": "openshift_publish: {}\n",
    "extra.yml": "openshift_publish:\n  port: x\n",
}


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("openshift_cluster.name", "hosts.yml:4"),
        ("openshift_cluster.api_vips[1]", "hosts.yml:6"),
        ("openshift_cluster.pull_secret", "hosts.yml:3"),  # missing: where it belongs
        ("openshift_host[m-0].bmc.address", "hosts.yml:12"),
        ("openshift_host[m-0].bmc.username", "workers.yml:3"),
        ("openshift_host[m-1].hostname", "hosts.yml:13"),
        ("openshift_host[m-2].interfaces[1].name", "m-2.yaml:5"),
        ("openshift_host[m-2].boot", "m-2.yaml:2"),
        ("openshift_publish.port", "extra.yml:2"),
        ("openshift_hub", ":0"),
        ("--limit", ":0"),
    ],
)
def test_places(path: str, place: str, tmp_path: Path) -> None:
    for name, text in FILES.items():
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    for source in ("site", "site/hosts.yml"):
        files = variable_files([str(tmp_path / source), "a,b"], [str(tmp_path / "extra.yml")])
        (found,) = with_places([Problem(path, "Invalid value", "x")], files)
        assert f"{Path(found.file).name}:{found.line}" == place
    placed = Problem(path, "Invalid value", "x", file="install-config.yaml", line=9)
    assert with_places([placed], files) == [placed]
