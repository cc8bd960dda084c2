# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test adding hosts by method assisted without a kubeconfig in the work directory: the run fails, because the
certificate requests of the hosts are not approved.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[3]
TASK = "Fail if certificate requests were not approved"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("joining", "kubeconfig", "fails"), [(["worker-0"], False, True), (["worker-0"], True, False), ([], False, False)]
)
def test_hosts_that_do_not_become_nodes(tmp_path: Path, joining: list[str], kubeconfig: bool, fails: bool) -> None:
    (tmp_path / "auth").mkdir()
    if kubeconfig:
        (tmp_path / "auth" / "kubeconfig").touch()
    (block,) = yaml.safe_load((ROOT / "roles" / "assisted_install" / "tasks" / "join.yml").read_text())
    assert block["block"][-1]["name"] == TASK, "images are withdrawn, and media detached, before the run fails"
    book = tmp_path / "play.yml"
    book.write_text(yaml.safe_dump([{"hosts": "localhost", "gather_facts": False, "tasks": [block["block"][-1]]}]))
    variables = {
        "assisted_install_settings": {"work_dir": str(tmp_path)},
        "assisted_install_cluster": {"joining_hosts": joining},
    }
    command = [str(Path(sys.executable).with_name("ansible-playbook")), str(book), "-e", json.dumps(variables)]
    environment = {**os.environ, "ANSIBLE_STDOUT_CALLBACK": "ansible.builtin.default"}
    done = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert bool(done.returncode) is fails, done.stdout + done.stderr
    words = (
        f"{tmp_path}/auth/kubeconfig does not exist, so that the certificate requests of worker-0 were not approved."
    )
    assert (words in done.stdout) is fails, done.stdout
