# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Generate docs/reference/preflight.md from the code: the table of checks, and the lowest firmware versions."""

from __future__ import annotations

from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.preflight.checks import (
    ALL,
    CHECKS,
    RackCheck,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.preflight.firmware import LOWEST

_HEAD = """# Checks of preflight

<!-- Generated from plugins/module_utils/deployment/preflight: PYTHONPATH=.build python tests/generate_docs.py -->

After reading this page you know what the playbook `preflight` checks, what it reads for that, and what to do about a failure.

Each check passes, fails or is skipped. A check is skipped if it does not apply: the boot method is `manual`, the BMC could not be read, or the BMC
does not report the value. BMCs are read with GET only. [../how-to/before-the-window.md](../how-to/before-the-window.md) shows how to run it.

| check | methods | reads | after a failure |
|---|---|---|---|
"""  # noqa: E501
_FIRMWARE = """
## Firmware

Check `firmware` fails for an older version than these. Other BMCs pass with any version.

| BMC | lowest version | source |
|---|---|---|
"""


def preflight_page() -> str:
    rows = "".join(f"| `{check.name}` | {_methods(check)} | {check.reads} | {check.remedy} |\n" for check in CHECKS)
    return f"{_HEAD}{rows}{_FIRMWARE}" + "".join(f"| {row.what} | {row.version} | {row.source} |\n" for row in LOWEST)


def _methods(check: RackCheck) -> str:
    return "all" if check.methods == ALL else ", ".join(sorted(check.methods))
