# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Generate the error catalogue: docs/reference/errors-configuration.md and docs/reference/errors-run.md."""

from __future__ import annotations

from collections.abc import Iterator

from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.rules.checks import CHECKS

from . import errors_of_networks, errors_of_options, errors_of_ours, errors_of_platforms, errors_of_pools
from .error_model import Entry, Topic
from .errors_of_packages import PACKAGES, Message
from .sentences import sentences

_HEAD = """# Errors of a configuration

<!-- Generated from tests/docs/errors_of_*.py: PYTHONPATH=.build python tests/generate_docs.py -->

After reading this page you can look up an error message about a configuration, and correct its cause. [errors-run.md](errors-run.md) has the messages
of a run. A problem is reported on one line,

    FILE:LINE: FIELD: KIND: VALUE: MESSAGE (CORRECTION)

in the terms of your input: `openshift_cluster.api_vips[0]` for variables, `platform.baremetal.apiVIPs[0]` with file and line for files. One run
reports all problems, and changes nothing before they are fixed. This page uses the field names of openshift-install
([fields.md](fields.md) has both names). `…` is the variable part of a message.

`problems[].layer` in the result of the task says where a problem comes from. `installer`: openshift-install also reports it, with the same message.
`ours`: it comes from an additional check of this collection. You can change the severity of the [named checks](checks.md).
"""  # noqa: E501
_RUN_HEAD = """# Errors of a run

<!-- Generated from tests/docs/errors_of_packages.py: PYTHONPATH=.build python tests/generate_docs.py -->

After reading this page you can look up an error message of a run, and correct its cause. These errors occur after the configuration was accepted
([errors-configuration.md](errors-configuration.md) has the messages before that). A message ends with the unchanged message of the BMC or service, if
there is one. `…` is the variable part of a message.
"""  # noqa: E501
_TABLE = "| field | kind | message | cause and correction |\n|---|---|---|---|\n"
_CHECK_TABLE = "| field | kind | message |\n|---|---|---|\n"
_PACKAGE_TABLE = "| message | cause | correction |\n|---|---|---|\n"
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


def configuration_page() -> str:
    parts = [_HEAD]
    for topic in TOPICS:
        parts.append(f"\n## {topic.title}\n\n" + (f"{topic.words}\n\n" if topic.words else ""))
        parts += (
            _checks(topic) if topic is errors_of_ours.CHECKS else [_TABLE, *(_row(entry) for entry in topic.entries)]
        )
    return "".join(parts).rstrip("\n") + "\n"


def run_page() -> str:
    parts = [_RUN_HEAD]
    for title, messages in PACKAGES.values():
        parts += [
            f"\n## {title}\n\n",
            _PACKAGE_TABLE,
            *(_message(message) for message in messages),
        ]
    return "".join(parts)


def _message(message: Message) -> str:
    return f"| {_cell(message.text)} | {_cell(sentences(message.cause))} | {_cell(sentences(message.correction))} |\n"


def _row(entry: Entry) -> str:
    known = CHECKS.get(entry.check)
    why = entry.why or (known.text if known else "")
    correction = entry.correction or (known.correction if known else "")
    return f"| {_paths(entry)} | {entry.kind} | {_messages(entry)} | {_cell(sentences(why, correction))} |\n"


def _checks(topic: Topic) -> Iterator[str]:
    """The messages of each check; its rule and its correction are on the page of checks."""
    for name in dict.fromkeys(entry.check for entry in topic.entries):
        yield f"### {name}\n\n{_CHECK_TABLE}"
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
    return text.replace("|", "\\|").replace("<", "&lt;").replace("{kind}", "&lt;kind&gt;")
