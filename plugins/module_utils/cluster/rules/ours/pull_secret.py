# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Check pull secret entries that the installer accepts and assisted-service rejects.

Source: openshift/assisted-service internal/cluster/validations/pull_secret_validation.go.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator

from ....common.problems import INVALID, Problem
from ..checks import INSTALL_CONFIG, own
from ..facts import Facts


def pull_secret_auth(facts: Facts) -> Iterator[Problem]:
    """Report an ``auth`` that is not base64 of user:password.

    The service on the rendezvous host would refuse it, after all hosts have booted.
    """
    for registry, entry in (facts.pull_secret or {}).items():
        auth = entry.get("auth") if isinstance(entry, dict) else None
        detail = _fault(auth) if isinstance(auth, str) and auth else ""
        if detail:
            yield own(
                "pull-secret-auth", "pullSecret", INVALID, f"the auth of {registry} {detail}", file=INSTALL_CONFIG
            )


def _fault(auth: str) -> str:
    try:
        user, _colon, password = base64.b64decode(auth, validate=True).partition(b":")
    except (binascii.Error, ValueError):
        return "is not base64"
    return "" if user and password else "is not base64 of user:password"
