# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""The error catalogue (docs/errors.md)."""

from __future__ import annotations

from collections.abc import Iterator

from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.rules.checks import CHECKS

from . import errors_of_networks, errors_of_options, errors_of_ours, errors_of_platforms, errors_of_pools
from .error_model import Entry, Topic
from .errors_of_packages import PACKAGES

HEAD = """# Errors

<!-- Generated from tests/docs/errors_of_*.py: PYTHONPATH=.build python tests/generate_docs.py -->

After reading this page you can look up an error message and correct its cause. A problem is reported on one line,

    FILE:LINE: FIELD: KIND: VALUE: MESSAGE (WHAT TO DO)

in the terms of your input: `openshift_cluster.api_vips[0]` for variables, `platform.baremetal.apiVIPs[0]` with file and line for files. One run
reports all problems, and changes nothing before they are fixed. This page uses the field names of openshift-install ([fields.md](fields.md) has both
names). `…` is the variable part of a message.

openshift-install also reports problems of `layer: installer`, with the same message. Problems of `layer: ours` come from additional checks of this
collection. If a problem has the name of a check, you can change its severity to a warning ([checks.md](checks.md)).
"""  # noqa: E501
_TABLE = "| field | kind | message | why | what to do |\n|---|---|---|---|---|\n"
_CHECK_TABLE = "| check | field | kind | message |\n|---|---|---|---|\n"
_PACKAGE_TABLE = "| message | what to do |\n|---|---|\n"
OURS_FIRST = (errors_of_ours.READING, errors_of_ours.VARIABLES)
_INSTALLER = (
    *errors_of_networks.TOPICS,
    *errors_of_pools.TOPICS,
    *errors_of_platforms.TOPICS,
    *errors_of_options.TOPICS,
)
TOPICS: tuple[Topic, ...] = (*OURS_FIRST, *_INSTALLER, errors_of_ours.NETWORK_CONFIG, errors_of_ours.CHECKS)


def entries() -> list[Entry]:
    return [entry for topic in TOPICS for entry in topic.entries]


def errors_page() -> str:
    parts = [HEAD]
    for topic in TOPICS:
        parts.append(f"\n## {topic.title}\n\n" + (f"{topic.words}\n\n" if topic.words else ""))
        parts += (
            _checks(topic) if topic is errors_of_ours.CHECKS else [_TABLE, *(_row(entry) for entry in topic.entries)]
        )
    parts.append(
        "\n# Errors of a run\n\nErrors that occur after the configuration was accepted. A message ends with the "
        "unchanged message of the BMC or service, if there is one.\n"
    )
    for title, messages in PACKAGES.values():
        parts += [
            f"\n## {title}\n\n",
            _PACKAGE_TABLE,
            *(f"| {_cell(message.text)} | {_cell(message.mend)} |\n" for message in messages),
        ]
    return "".join(parts)


def _row(entry: Entry) -> str:
    known = CHECKS.get(entry.check)
    why = entry.why or (known.text if known else "")
    mend = entry.mend or (known.mend if known else "")
    return f"| {_paths(entry)} | {entry.kind} | {_messages(entry)} | {_cell(why)} | {_cell(mend)} |\n"


def _checks(topic: Topic) -> Iterator[str]:
    """Checks have their reasons once, in front of their messages."""
    for name in dict.fromkeys(entry.check for entry in topic.entries):
        yield (
            f"### {name}\n\n{CHECKS[name].text} To mend: {CHECKS[name].mend}.\n\n| field | kind | message |\n"
            "|---|---|---|\n"
        )
        yield from (
            f"| {_paths(entry)} | {entry.kind} | {_messages(entry)} |\n"
            for entry in topic.entries
            if entry.check == name
        )
        yield "\n"


def _paths(entry: Entry) -> str:
    return "<br>".join(f"`{path.replace('*', '…')}`" if path != "*" else "any" for path in entry.paths.split())


def _messages(entry: Entry) -> str:
    return "<br>".join(_cell(text) or "–" for text in entry.alternatives)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;").replace("{kind}", "…")
