# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Read and check the field ``live_kernel_arguments``: kernel arguments to append when a host boots the live system.

install-config.yaml and agent-config.yaml have no such field, so a configuration directory keeps it in release.json.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ..common.problems import FORBIDDEN, INVALID, Problem
from .spec import Cluster

OPTION = "live_kernel_arguments"
# Characters with a meaning for GRUB or iPXE, whose configurations hold the arguments as they are (GRUB manual,
# "Shell-like scripting: Quoting").
_SPECIAL = frozenset("\"'$\\;&|<>{}")
# Arguments that the image or this collection sets, and what to do for another value.
_SET_BY_IMAGE = {
    "fips": "use the field fips of the cluster",
    "coreos.live.rootfs_url": "use boot_artifacts_base_url",
    "coreos.liveiso": "the base image sets it",
    "initrd": "the boot loader sets it",
}


def read_arguments(value: Any, file: str) -> tuple[tuple[str, ...], list[Problem]]:
    """The arguments that release.json holds, and what is wrong with them."""
    if value is None:
        return (), []
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        return (), [Problem(OPTION, INVALID, "a list of texts is expected", layer="ours", file=file)]
    return tuple(value), list(
        argument_problems(((f"{OPTION}[{index}]", each) for index, each in enumerate(value)), file)
    )


def argument_problems(arguments: Iterable[tuple[str, str]], file: str = "") -> Iterator[Problem]:
    """What is wrong with the arguments, each with the path that names it."""
    for place, argument in arguments:
        detail, hint = _fault(argument)
        name = argument.partition("=")[0]
        if detail:
            yield Problem(place, INVALID, detail, layer="ours", value=_shown(argument), hint=hint, file=file)
        elif name in _SET_BY_IMAGE:
            detail = f"{name} is set where the image is built"
            yield Problem(
                place, FORBIDDEN, detail, layer="ours", value=_shown(argument), hint=_SET_BY_IMAGE[name], file=file
            )


def infra_env_arguments(cluster: Cluster) -> list[dict[str, str]]:
    """The arguments as option ``kernel_arguments`` of the modules infra_env and assisted_infra_env."""
    return [{"operation": "append", "value": argument} for argument in cluster.live_kernel_arguments]


def _fault(argument: str) -> tuple[str, str]:
    """What is wrong with the text of one argument, and what to do; empty texts if nothing is."""
    if not argument:
        return "a kernel argument must not be empty", "remove it from the list"
    if any(character.isspace() for character in argument):
        return "a kernel argument must not contain white space", "write each argument as an item of the list"
    if not argument.isprintable():
        return "a kernel argument must not contain control characters", "remove them"
    if argument.startswith("#") or not _SPECIAL.isdisjoint(argument):
        return "boot loaders would interpret this argument", (
            "do not use # at its beginning, nor any of \" ' $ \\ ; & | < > { }"
        )
    return "", ""


def _shown(argument: str) -> str:
    """The argument in quotes, on one line."""
    return ascii(argument[:60]) if not argument.isprintable() else f'"{argument[:60]}"'
