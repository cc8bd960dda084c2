# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Create problems with the installer's error messages (openshift/installer pkg/types/validation/installconfig.go)."""

from __future__ import annotations

from collections.abc import Iterable

from ...common.plurals import counted
from ...common.problems import DUPLICATE, FORBIDDEN, INTERNAL, INVALID, REQUIRED, TOO_MANY, UNSUPPORTED, Problem
from ..rules.checks import AGENT_CONFIG, INSTALL_CONFIG, own, shown, supported


def required(path: str, detail: str, *, file: str = INSTALL_CONFIG) -> Problem:
    return Problem(path, REQUIRED, detail, file=file)


def invalid(path: str, value: object, detail: str, *, file: str = INSTALL_CONFIG, hint: str = "") -> Problem:
    """Create the problem of a wrong value. Pass None as ``value`` for a secret or a long text, which is not shown."""
    return Problem(path, INVALID, detail, file=file, value=shown(value), hint=hint)


def unsupported(path: str, value: object, values: Iterable[str], *, file: str = INSTALL_CONFIG) -> Problem:
    return Problem(path, UNSUPPORTED, supported(tuple(values)), file=file, value=shown(value))


def forbidden(path: str, detail: str, *, file: str = INSTALL_CONFIG) -> Problem:
    return Problem(path, FORBIDDEN, detail, file=file)


def duplicate(path: str, value: object, *, file: str = INSTALL_CONFIG) -> Problem:
    return Problem(path, DUPLICATE, "", file=file, value=shown(value))


def too_many(path: str, count: int, most: int, *, file: str = INSTALL_CONFIG) -> Problem:
    return Problem(path, TOO_MANY, f"must have at most {counted(most, 'item')}", file=file, value=shown(count))


def internal(path: str, detail: str, *, file: str = INSTALL_CONFIG) -> Problem:
    return Problem(path, INTERNAL, detail, file=file)


def warning(
    check: str, path: str, kind: str, detail: str, *, value: object = None, file: str = INSTALL_CONFIG
) -> Problem:
    """A warning of the installer, lowered or raised by the name of its check."""
    return own(check, path, kind, detail, value=value, file=file)


__all__ = [
    "AGENT_CONFIG",
    "INSTALL_CONFIG",
    "duplicate",
    "forbidden",
    "internal",
    "invalid",
    "required",
    "too_many",
    "unsupported",
    "warning",
]
