# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test which options of ansible-playbook (such as ``--tags``) the playbooks of this collection refuse."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.run_options import check_run_options

GROUPS = {"all": ["master-0", "worker-1"], "masters": ["master-0"], "workers": ["worker-1"], "ungrouped": []}
DEFAULTS = {"ansible_run_tags": ["all"], "ansible_skip_tags": [], "ansible_limit": None}


@pytest.mark.parametrize(
    ("options", "refused"),
    [
        ({}, []),
        ({"ansible_run_tags": ["boot"]}, ["--tags"]),
        ({"ansible_run_tags": ("all", "boot")}, ["--tags"]),
        ({"ansible_skip_tags": ["boot"]}, []),
        ({"ansible_skip_tags": ["always"]}, ["--skip-tags"]),
        ({"ansible_limit": "localhost"}, []),
        ({"ansible_limit": "all"}, []),
        ({"ansible_limit": "worker-1,localhost"}, ["--limit"]),
        ({"ansible_limit": "localhost:!worker-1"}, ["--limit"]),
        ({"ansible_limit": "localhost,masters,worker-1"}, []),
        ({"ansible_limit": "localhost:masters:workers"}, []),
        ({"ansible_limit": "localhost,masters"}, ["--limit"]),
        ({"ansible_limit": "localhost,masters,workers,!worker-1"}, ["--limit"]),
        ({"ansible_limit": "localhost,masters,workers,other-?"}, ["--limit"]),
    ],
)
def test_options_that_would_do_something_else(options: dict[str, Any], refused: list[str]) -> None:
    assert [problem.path for problem in check_run_options(DEFAULTS | options, "deploy_cluster", GROUPS)] == refused


def test_a_play_of_the_user_has_options_of_its_own() -> None:
    assert check_run_options(DEFAULTS | {"ansible_run_tags": ["x"], "ansible_limit": "y"}, "") == []
