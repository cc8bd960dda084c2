# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Provide the functions and names of ansible-core that tests use and that differ between its versions, from 2.16 on.
Tests import them only from here.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
from collections.abc import Iterator, Mapping
from typing import Any
from unittest import mock

import pytest
from ansible.module_utils import basic
from ansible.module_utils.common import warnings
from ansible.release import __version__

__all__ = ["NATIVE_TEMPLATES", "SIGNALS_REACH_MODULES", "as_module_process", "patch_module_args", "trust_as_template"]

_VERSION = tuple(int(part) for part in __version__.split(".")[:2])
# An expression that gives a number is a number; before, it is text (setting DEFAULT_JINJA2_NATIVE).
NATIVE_TEMPLATES = _VERSION >= (2, 19)
# ansible-playbook passes a signal on to the processes of its tasks (executor/task_queue_manager.py); before, only the
# terminal does.
SIGNALS_REACH_MODULES = _VERSION >= (2, 19)

try:
    from ansible.module_utils.testing import patch_module_args  # ansible-core 2.19 and newer
except ImportError:

    @contextlib.contextmanager
    def patch_module_args(args: Mapping[str, Any] | None = None) -> Iterator[None]:
        """Give an AnsibleModule that is created in this context these arguments, as the function of ansible-core 2.19
        does.
        """
        with mock.patch.object(basic, "_ANSIBLE_ARGS", json.dumps({"ANSIBLE_MODULE_ARGS": dict(args or {})}).encode()):
            yield


def trust_as_template(value: str) -> str:
    """The text as one that may be rendered; before 2.19, every text is.

    Imported here: controller code marks a process as the controller, which one that runs modules must not be.
    """
    try:
        from ansible.template import trust_as_template as trusted
    except ImportError:
        return value
    return trusted(value)


def as_module_process(patch: pytest.MonkeyPatch) -> None:
    """Let modules behave as in a process of their own, without the warnings of earlier ones.

    From 2.19 on, an import of controller code marks the process as the controller; modules then keep warnings out of
    their results.
    """
    if importlib.util.find_spec("ansible.module_utils._internal"):
        patch.setattr("ansible.module_utils._internal.is_controller", False, raising=False)
    # A list before 2.19, a mapping since.
    patch.setattr(warnings, "_global_warnings", type(warnings._global_warnings)())
