# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""What a user says about BMCs, as boot requests; every mistake in it found at once, before any BMC is contacted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..common.errors import InvalidInput, ZeroTouchError
from ..common.problems import DUPLICATE, INVALID, REQUIRED, UNKNOWN_FIELD, Problem, nearest
from ..common.secrets import HIDDEN, without_url_tokens
from ..common.state import StateFile
from ..common.tls import Tls
from .address import parse_address
from .hosts import BootRequest
from .image_url import check_image_url

# Keys of ``bmc``, in the order in which their problems are told.
KEYS = ("address", "username", "password", "validate_certs", "ca_cert", "fingerprint")
_BOOLEANS = ("true", "false", "yes", "no", "on", "off", "1", "0")


def boot_requests(
    hosts: Sequence[Mapping[str, Any]], image_url: str = "", *, needs_image: bool = False, state_file: StateFile | None = None
) -> list[BootRequest]:
    """Requests for the ``hosts`` option of a door: ``{name, bmc{address username password …}, mac_addresses, image_url, force}`` each.

    A host without MACs gets those that the state file knows of it, so that the right-machine guard also works where the inventory only adds BMC data.
    Results of tasks show the URL of a published image without its token: the state file completes it, and is the default.
    Raises :class:`InvalidInput` with all problems.
    """
    problems: list[Problem] = []
    known = _known_macs(state_file) if state_file else {}
    published = state_file.section("publish") if state_file else {}
    image_url = image_url or (str(published.get("url") or "") if needs_image else "")
    requests: list[BootRequest] = []
    for host in hosts:
        name = str(host.get("name") or "")
        url = _complete_url(str(host.get("image_url") or image_url), published)
        request = _request(host, url, known.get(name, ()))
        problems += check_bmc(host.get("bmc") or {}, f"hosts[{name}].bmc")
        if needs_image and (fault := _image_fault(request.image_url)):
            kind = INVALID if request.image_url else REQUIRED
            problems.append(_problem(f"hosts[{name}].image_url", kind, fault, request.image_url))
        if name in [other.name for other in requests]:
            problems.append(_problem(f"hosts[{name}].name", DUPLICATE, "the host is listed twice"))
        requests.append(request)
    if problems:
        raise InvalidInput(problems)
    return requests


def check_bmc(bmc: Any, path: str) -> list[Problem]:
    """Everything that is wrong with one host's ``bmc`` and can be known without contacting it; ``path`` is what the user calls it. Never raises."""
    if not isinstance(bmc, Mapping):
        return [_problem(path, INVALID, f"must be a mapping with {', '.join(KEYS[:3])}")]
    given = {str(key): value for key, value in bmc.items() if value is not None}
    problems = [_problem(f"{path}.{key}", UNKNOWN_FIELD, f"known: {', '.join(KEYS)}", hint=nearest(key, KEYS)) for key in given if key not in KEYS]
    for key, what in (("address", "the address of the BMC"), ("username", "the BMC's user name"), ("password", "the BMC's password")):
        if given.get(key, "") == "":
            problems.append(_problem(f"{path}.{key}", REQUIRED, f"{what} is needed"))
    faults = {
        "address": _address_fault(given.get("address", "")),
        "username": _text_fault(given.get("username", "")),
        "password": _text_fault(given.get("password", "")),
        "validate_certs": "" if str(given.get("validate_certs", True)).lower() in _BOOLEANS else "must be true or false",
        "ca_cert": _ca_fault(given.get("ca_cert", "")),
        "fingerprint": _fingerprint_fault(given.get("fingerprint", "")),
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


def _known_macs(state_file: StateFile) -> dict[str, Sequence[str]]:
    hosts = [host for host in state_file.section("cluster").get("hosts") or () if isinstance(host, Mapping)]
    return {str(host[key]): host.get("macs") or () for host in hosts for key in ("name", "hostname") if host.get(key)}


def _complete_url(url: str, published: Mapping[str, Any]) -> str:
    """The URL with its token where the state file has it; ``published`` is the section of that name."""
    if HIDDEN not in url:
        return url
    # In check mode the port may differ from the recorded URL's, never the token.
    candidates = (str(published.get("url") or ""), url.replace(HIDDEN, str(published.get("token") or HIDDEN)))
    return next((candidate for candidate in candidates if without_url_tokens(candidate) == url), url)


def _image_fault(url: str) -> str:
    if HIDDEN in url:
        return "the token in it is hidden: set state_file to the state.json of the deployment that publishes the image"
    return check_image_url(url) if url else "no image_url is given"


def _request(host: Mapping[str, Any], image_url: str, known_macs: Sequence[str]) -> BootRequest:
    bmc = host.get("bmc") or {}
    return BootRequest(
        name=str(host.get("name") or ""),
        address=str(bmc.get("address") or ""),
        username=str(bmc.get("username") or ""),
        password=str(bmc.get("password") or ""),
        validate_certs=bool(bmc.get("validate_certs", True)),
        ca_cert=str(bmc.get("ca_cert") or ""),
        fingerprint=str(bmc.get("fingerprint") or ""),
        mac_addresses=tuple(str(mac) for mac in host.get("mac_addresses") or known_macs),
        image_url=image_url,
        force=bool(host.get("force", False)),
    )


def _problem(path: str, kind: str, detail: str, value: str = "", hint: str = "") -> Problem:
    return Problem(path, kind, detail, layer="ours", check="bmc", value=value, hint=hint)
