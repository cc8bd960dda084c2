# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Simulate the start of the agent in a discovery image: its command line in agent.service, and the certificates that it
trusts.

Source: openshift/assisted-service internal/ignition/discovery.go, internal/ignition/templates.
"""

from __future__ import annotations

import dataclasses
import shlex
import ssl

from .root import Root
from .systemd import UnitFile

_ANCHORS = "/etc/pki/ca-trust/source/anchors"
_PROGRAM = "/usr/local/bin/agent"


@dataclasses.dataclass(frozen=True)
class AgentStart:
    """The agent's command line. ``proxy`` and ``no_proxy`` are its environment's."""

    url: str
    infra_env_id: str
    version: str
    insecure: bool
    ca_file: str = ""
    token: str = ""
    proxy: str = ""
    no_proxy: str = ""

    @property
    def problem(self) -> str:
        """Why the agent ends at once, "" when it does not."""
        missing = [
            f"--{name}"
            for name, value in (("url", self.url), ("infra-env-id", self.infra_env_id), ("agent-version", self.version))
            if not value
        ]
        return f"required arguments missing: {', '.join(missing)}" if missing else ""


def agent_start(unit: UnitFile | None) -> AgentStart | None:
    """How a unit starts the agent; None for one of another kind (that of an agent-based image runs a script)."""
    command = next(iter(unit.all("Service", "ExecStart")), "") if unit else ""
    try:
        words = shlex.split(command.replace("%%", "%"))
    except ValueError:
        return None
    if not words or words[0] != _PROGRAM:
        return None
    options = dict(zip(words[1:], [*words[2:], ""], strict=True)) | dict(
        word.split("=", 1) for word in words[1:] if word.startswith("--") and "=" in word
    )
    environment = dict(
        word.partition("=")[::2]
        for entry in (unit.all("Service", "Environment") if unit else ())
        for word in shlex.split(entry)
    )
    return AgentStart(
        url=options.get("--url", "").rstrip("/"),
        infra_env_id=options.get("--infra-env-id", ""),
        version=options.get("--agent-version", ""),
        insecure=options.get("--insecure", "false").lower() == "true",
        ca_file=options.get("--cacert", ""),
        token=environment.get("PULL_SECRET_TOKEN", ""),
        proxy=environment.get("HTTPS_PROXY", "").replace("%%", "%"),
        no_proxy=environment.get("NO_PROXY", ""),
    )


class TrustError(Exception):
    """A CA file cannot be used; the text says why."""


def trust(root: Root, start: AgentStart) -> ssl.SSLContext:
    """Whom the agent trusts: the image's anchors, and the file that it was given. Raises :class:`TrustError`.

    The authorities that every system knows are left out: they sign nothing in the lab, and reading them takes a while.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    if start.insecure:
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        return context
    texts = [node.content.decode("utf-8", "replace") for node in root.under(_ANCHORS).values()]
    if start.ca_file:
        text = root.text(start.ca_file)
        if text is None:
            raise TrustError(f"open {start.ca_file}: no such file or directory")
        texts.append(text)
    for text in texts:
        try:
            context.load_verify_locations(cadata=text)
        except (ssl.SSLError, ValueError) as error:
            raise TrustError(f"no certificate in it: {error}") from error
    return context
