# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Check the variables ``openshift_live_report`` and ``openshift_notify``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..module_utils.common.problems import INVALID, UNKNOWN_FIELD, Problem, nearest
from ..module_utils.deployment.live.notify import read_webhooks
from ..module_utils.serving.options import userinfo_in
from .problems import problem

KEYS = ("serve", "listen", "port", "url")
# Methods whose installation the report describes.
METHODS = ("agent", "assisted", "hub", "capi")
FLAGS = {"true": True, "yes": True, "false": False, "no": False}


def check_live(variables: Mapping[str, Any]) -> list[Problem]:
    """Everything that is wrong with ``openshift_live_report`` and ``openshift_notify``."""
    options = variables.get("openshift_live_report") or {}
    name = "openshift_live_report"
    problems = [
        problem(f"{name}.{key}", UNKNOWN_FIELD, f"known: {', '.join(KEYS)}", hint=nearest(str(key), KEYS))
        for key in options
        if key not in KEYS
    ]
    if "serve" in options and str(options["serve"]).lower() not in FLAGS:
        problems.append(problem(f"{name}.serve", INVALID, "must be true or false", value=str(options["serve"])))
    for key in ("listen", "url"):
        if not isinstance(options.get(key, ""), str) or (key == "url" and userinfo_in(options.get(key, ""))):
            problems.append(problem(f"{name}.{key}", INVALID, "must be a text, without user or password"))
    if not str(options.get("port", 0)).isdecimal() or int(options.get("port", 0)) > 65535:
        problems.append(
            problem(f"{name}.port", INVALID, "must be a port, or 0 for a free one", value=str(options["port"]))
        )
    return problems + read_webhooks(variables.get("openshift_notify") or [])[1]
