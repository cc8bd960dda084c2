#!/usr/bin/python
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""A second test module. Tests use it to check that settings of module probe do not reach another module."""

from __future__ import annotations

from ansible_collections.test.modules.plugins.modules.probe import OPTIONS, argument_spec, run
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.entry_point import run_module

__all__ = ["OPTIONS", "argument_spec", "main", "run"]


def main() -> None:
    run_module(argument_spec, OPTIONS, run)


if __name__ == "__main__":
    main()
