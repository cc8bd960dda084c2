# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Convert ``802.1x`` of nmstate to the ``[802-1x]`` section of a NetworkManager keyfile."""

from __future__ import annotations

from ..common.problems import INVALID
from .model import Group
from .section import Section

_TEXTS = ("identity", "private-key", "client-cert", "ca-cert", "phase2-auth")
_SECRETS = ("private-key-password", "password")
_HIDDEN = "<_password_hid_by_nmstate>"


def read_dot1x(section: Section) -> tuple[Group, ...]:
    """Read the ``802.1x`` settings. Certificates and keys are paths on the machine; the files are not copied there."""
    part = section.section("802.1x")
    if part is None:
        return ()
    methods = part.texts("eap-methods")
    settings = {key: part.text(key) for key in (*_TEXTS, *_SECRETS)}
    for key in _SECRETS:
        if settings[key] == _HIDDEN:
            part.problem(
                key, INVALID, "is what nmstatectl shows in place of a password; nmstate would write none", layer="ours"
            )
    # A list in a keyfile ends with its separator.
    settings["eap"] = "".join(f"{method};" for method in methods) if methods else None
    part.finish(layer="ours")
    return (Group.of("802-1x", settings),)
