# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Helpers for tests: read files of a built Ignition config."""

from __future__ import annotations

from ansible_collections.zerotouch.openshift.plugins.module_utils.ignition.document import LiveIgnition

SERVICE_ENV = "/usr/local/share/assisted-service/assisted-service.env"


def text(live: LiveIgnition, path: str) -> str:
    file = live.file(path)
    assert file is not None, path
    return file.content.decode()


def env(live: LiveIgnition, path: str) -> dict[str, str]:
    return dict(line.split("=", 1) for line in text(live, path).splitlines() if "=" in line)


def paths(live: LiveIgnition, head: str) -> list[str]:
    return [file.path.removeprefix(head) for file in live.files if file.path.startswith(head)]
