# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Convert the BMC data of a host to a request, and report mistakes that are found without contacting the BMC."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..common.errors import ZeroTouchError
from ..common.problems import INVALID, REQUIRED, UNKNOWN_FIELD, OwnCheck, Problem, nearest
from ..common.tls import Tls
from .address import parse_address
from .hosts import BootRequest

_problem = OwnCheck("bmc")

# Keys of ``bmc``, in the order in which their problems are listed.
KEYS = ("address", "username", "password", "validate_certs", "ca_cert", "fingerprint", "clear_jobs")
_YES = ("true", "yes", "on", "1")
_BOOLEANS = (*_YES, "false", "no", "off", "0")


def bmc_request(host: Mapping[str, Any], mac_addresses: tuple[str, ...], image_url: str) -> BootRequest:
    """The request for a host of option ``hosts``: ``{name, bmc{address username password …}, force}``."""
    bmc = host.get("bmc") or {}
    return BootRequest(
        name=str(host.get("name") or ""),
        address=str(bmc.get("address") or ""),
        username=str(bmc.get("username") or ""),
        password=str(bmc.get("password") or ""),
        validate_certs=bool(bmc.get("validate_certs", True)),
        ca_cert=str(bmc.get("ca_cert") or ""),
        fingerprint=str(bmc.get("fingerprint") or ""),
        mac_addresses=mac_addresses,
        image_url=image_url,
        force=bool(host.get("force", False)),
        clear_jobs=str(bmc.get("clear_jobs") or False).lower() in _YES,
    )


def check_bmc(bmc: Any, path: str) -> list[Problem]:
    """Everything that is wrong with one host's ``bmc`` and can be known without contacting it; ``path`` is what the
    user calls it. Never raises.
    """
    if not isinstance(bmc, Mapping):
        return [_problem(path, INVALID, f"must be a mapping with {', '.join(KEYS[:3])}")]
    provided = {str(key): value for key, value in bmc.items() if value is not None}
    problems = [
        _problem(f"{path}.{key}", UNKNOWN_FIELD, f"known: {', '.join(KEYS)}", hint=nearest(key, KEYS))
        for key in provided
        if key not in KEYS
    ]
    for key, what in (
        ("address", "the address of the BMC"),
        ("username", "the BMC's user name"),
        ("password", "the BMC's password"),
    ):
        if provided.get(key, "") == "":
            problems.append(_problem(f"{path}.{key}", REQUIRED, f"{what} is needed"))
    faults = {
        "address": _address_fault(provided.get("address", "")),
        "username": _text_fault(provided.get("username", "")),
        "password": _text_fault(provided.get("password", "")),
        "validate_certs": ""
        if str(provided.get("validate_certs", True)).lower() in _BOOLEANS
        else "must be true or false",
        "clear_jobs": "" if str(provided.get("clear_jobs", False)).lower() in _BOOLEANS else "must be true or false",
        "ca_cert": _ca_fault(provided.get("ca_cert", "")),
        "fingerprint": _fingerprint_fault(provided.get("fingerprint", "")),
    }
    return problems + [_problem(f"{path}.{key}", INVALID, fault) for key, fault in faults.items() if fault]


def _address_fault(value: Any) -> str:
    if not isinstance(value, str):
        return "must be a string such as redfish-virtualmedia://10.0.0.11/redfish/v1/Systems/1"
    try:
        if value:
            parse_address(value)
    except ValueError as error:
        return str(error)
    return ""


def _text_fault(value: Any) -> str:
    # YAML reads digits as a number; anything else than text or a number was not meant.
    return "" if isinstance(value, (str, int, float)) and not isinstance(value, bool) else "must be a string"


def _ca_fault(value: Any) -> str:
    if not isinstance(value, str):
        return "must be the path of a PEM file, or PEM text"
    try:
        if value:
            Tls(ca_certs=(value,), system_store=False).context()
    except ZeroTouchError as error:
        return error.message.rstrip(".")
    return ""


def _fingerprint_fault(value: Any) -> str:
    try:
        Tls(fingerprint=str(value))
    except ZeroTouchError as error:
        return error.message.rstrip(".")
    return ""
