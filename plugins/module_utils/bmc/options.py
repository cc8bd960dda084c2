# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Define and read the options of modules that contact BMCs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..common.connect import ConnectTo
from ..common.errors import InvalidInput
from ..common.opened import Opened
from ..common.parallel import BMC_FORKS
from ..common.state import StateFile
from ..common.store_link import StoreLink
from .hosts import BmcOptions, ImageAccess


def bmc_suboptions() -> dict[str, Any]:
    """The suboptions that describe how to reach one BMC: address, login, certificate."""
    return {
        "address": {"type": "str", "required": True},
        "username": {"type": "str"},
        "password": {"type": "str", "no_log": True},
        "validate_certs": {"type": "bool", "default": True},
        "ca_cert": {"type": "str"},
        "fingerprint": {"type": "str"},
        "clear_jobs": {"type": "bool", "default": False},
    }


def image_access_spec() -> dict[str, Any]:
    """How BMCs read the image."""
    return {
        "username": {"type": "str"},
        "password": {"type": "str", "no_log": True},
        "ca_cert": {"type": "str"},
        "validate_certs": {"type": "bool"},
    }


def bmc_argument_spec() -> dict[str, Any]:
    """Options that all modules share that contact BMCs (documentation fragment ``bmc_hosts``)."""
    host = {
        "name": {"type": "str", "required": True},
        "bmc": {"type": "dict", "required": True, "options": bmc_suboptions()},
        "mac_addresses": {"type": "list", "elements": "str", "default": []},
        "image_url": {"type": "str"},
        "force": {"type": "bool", "default": False},
        "take_over": {"type": "bool", "default": False},
    }
    return {
        "hosts": {"type": "list", "elements": "dict", "required": True, "options": host},
        "forks": {"type": "int", "default": BMC_FORKS},
        "connect_to": {"type": "dict", "default": {}},
        "ca_cert": {"type": "str"},
    }


def bmc_options(call: Opened) -> BmcOptions:
    """Raises :class:`InvalidInput` for a mapping that cannot be read."""
    connect_to, problems = ConnectTo.parse(call.params["connect_to"])
    if problems:
        raise InvalidInput(problems)
    state_file = call.params.get("state_file")
    return BmcOptions(
        forks=max(1, call.params["forks"]),
        connect_to=connect_to,
        ca_cert=call.params["ca_cert"] or "",
        state_file=StateFile(Path(state_file)) if state_file else None,
        clock=call.clock,
        progress=call.progress,
        image_access=_image_access(call.params.get("image_access") or {}),
        before_write=StoreLink(Path(state_file).parent, call.clock).check if state_file else lambda: None,
    )


def _image_access(provided: Mapping[str, Any]) -> ImageAccess:
    return ImageAccess(
        provided.get("username") or "",
        provided.get("password") or "",
        provided.get("ca_cert") or "",
        provided.get("validate_certs"),
    )
