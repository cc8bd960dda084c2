# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Convert the user's hosts to requests for their boot methods, and report all mistakes before a host is contacted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..bmc.image_url import check_image_url
from ..common.errors import InvalidInput
from ..common.problems import DUPLICATE, INVALID, REQUIRED, UNSUPPORTED, OwnCheck, Problem, nearest
from ..common.secrets import HIDDEN, without_url_tokens
from ..common.state import StateFile
from .methods import METHODS, default_method
from .protocol import MachineRequest

_problem = OwnCheck("boot")


def boot_requests(
    hosts: Sequence[Mapping[str, Any]],
    image_url: str = "",
    *,
    needs_image: bool = False,
    state_file: StateFile | None = None,
) -> list[MachineRequest]:
    """Requests for the ``hosts`` option of a module:
    ``{name, boot_method, bmc{address username password …}, mac_addresses, image_url, force}`` each.

    A host without MACs gets those that the state file knows of it, so that the right-machine guard also works where the
    inventory only adds BMC data. Results of tasks show the URL of a published image without its token: the state file
    completes it, and is the default.
    Raises :class:`InvalidInput` with all problems.
    """
    problems: list[Problem] = []
    known = _known_macs(state_file) if state_file else {}
    published = state_file.section("publish") if state_file else {}
    image_url = image_url or (str(published.get("url") or "") if needs_image else "")
    requests: list[MachineRequest] = []
    for host in hosts:
        name = str(host.get("name") or "")
        path = f"hosts[{name}]"
        wrong = check_method(host, path, str(host.get("boot_method") or ""), f"{path}.boot_method")
        problems += wrong
        if wrong and wrong[0].kind == UNSUPPORTED:
            continue
        method = METHODS[boot_method(host)]
        url = _complete_url(str(host.get("image_url") or image_url), published)
        problems += check_data(host, path)
        if needs_image and method.capabilities.needs_image_url and (fault := _image_fault(url)):
            problems.append(_problem(f"{path}.image_url", INVALID if url else REQUIRED, fault, url))
        if name in [other.name for other in requests]:
            problems.append(_problem(f"{path}.name", DUPLICATE, "the host is listed twice"))
        requests.append(
            method.request(host, tuple(str(mac) for mac in host.get("mac_addresses") or known.get(name, ())), url)
        )
    if problems:
        raise InvalidInput(problems)
    return requests


def boot_method(host: Mapping[str, Any]) -> str:
    """The method of a host of option ``hosts``."""
    return str(host.get("boot_method") or default_method({key for key, value in host.items() if value is not None}))


def check_method(host: Mapping[str, Any], path: str, method: str, method_path: str) -> list[Problem]:
    """What is wrong with the choice of a method: it is in no table, or the host lacks what it needs.

    An empty ``method`` is that of a host that names none.
    """
    if method and method not in METHODS:
        return [
            _problem(
                method_path,
                UNSUPPORTED,
                f"supported values: {', '.join(METHODS)}",
                method,
                nearest(method, tuple(METHODS)),
            )
        ]
    needs = METHODS[method].needs if method else {}
    return [
        _problem(f"{path}.{key}", REQUIRED, f"boot method {method} requires {what}")
        for key, what in needs.items()
        if host.get(key) is None
    ]


def check_data(host: Mapping[str, Any], path: str) -> list[Problem]:
    """What is wrong with the data of a host that any of the methods reads."""
    return [problem for method in METHODS.values() for problem in method.check(host, path)]


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
