# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Helpers for tests: read variables into a Deployment, and reduce a Deployment to the part that its files contain."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.documents import bmc_from_document
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.render import _bmc_documents
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.spec import Deployment
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.variables import read_variables
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.problems import Problem


def from_variables(
    cluster: Mapping[str, Any], hosts: Sequence[Mapping[str, Any]], **release: str
) -> tuple[Deployment | None, list[Problem]]:
    """The deployment, and every problem found while reading the variables."""
    parsed = read_variables(cluster, hosts, **release)
    return parsed.deployment, list(parsed.problems)


def as_files_hold_it(deployment: Deployment) -> Deployment:
    """The part of a deployment that the files hold: hosts are called by their hostname, and BMC data is only that of
    the cluster.
    """
    documents = _bmc_documents(deployment)
    hosts = [
        dataclasses.replace(
            host, name=host.hostname or f"host-{index}", bmc=bmc_from_document(documents.get(index, {}))
        )
        for index, host in enumerate(deployment.hosts)
    ]
    return dataclasses.replace(deployment, hosts=tuple(hosts))
