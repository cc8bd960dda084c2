# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the imports of plugins/module_utils: a package imports only packages of lower layers, one file imports Ansible,
and one file imports third-party packages.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PACKAGES = ROOT / "plugins" / "module_utils"
PREFIX = "ansible_collections.zerotouch.openshift.plugins."
# Layers of docs/architecture.md#packages; between ignition and manifests there is a step, since the Ignition file
# carries the manifests;
# between hypershift and capi, since a pool is made of Cluster API's Machines; below cluster, whose schema has the names
# of the boot methods.
LAYERS = {
    "common": 0,
    "nmstate": 1,
    "image": 1,
    "bmc": 1,
    "hypervisor": 1,
    "kube": 1,
    "boot": 1.5,
    "cluster": 2,
    "manifests": 3,
    "ignition": 3.5,
    "assisted": 4,
    "hub": 4,
    "nodes": 4,
    "installer": 4,
    "serving": 4,
    "capi": 5,
    "hypershift": 5.5,
    "deployment": 6,
}
IMPORTS_ANSIBLE = PACKAGES / "common" / "entry_point.py"
IMPORTS_PACKAGES = PACKAGES / "common" / "libraries.py"
FILES = sorted(path for path in PACKAGES.rglob("*.py") if "__pycache__" not in path.parts)


def imports(path: Path) -> Iterator[tuple[int, str]]:
    """(line, absolute module name) of every import that happens at run time; those under ``if TYPE_CHECKING`` do
    not.
    """
    tree = ast.parse(path.read_text())
    for block in [
        node for node in ast.walk(tree) if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)
    ]:
        block.body = []
    package = (PREFIX + ".".join(path.relative_to(ROOT / "plugins").parent.parts)).split(".")
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            base = ".".join([*above, *filter(None, [node.module])])
            yield node.lineno, base
            yield from ((node.lineno, f"{base}.{alias.name}") for alias in node.names)


def package_of(module: str) -> str | None:
    parts = (
        module.removeprefix(PREFIX + "module_utils.").split(".") if module.startswith(PREFIX + "module_utils.") else []
    )
    return parts[0] if parts else None


def test_every_package_has_a_layer() -> None:
    assert {path.relative_to(PACKAGES).parts[0] for path in FILES} <= set(LAYERS)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGES)))
def test_imports_of_a_package(path: Path) -> None:
    own = path.relative_to(PACKAGES).parts[0]
    wrong = []
    for line, module in imports(path):
        top = module.split(".")[0]
        target = package_of(module)
        if target is not None:
            if target != own and LAYERS[target] >= LAYERS[own]:
                wrong.append(
                    f"{path.name}:{line}: {own} (layer {LAYERS[own]}) imports {target} (layer {LAYERS[target]})"
                )
        elif module.startswith(PREFIX):
            wrong.append(f"{path.name}:{line}: {module} is not a package of module_utils")
        elif top == "ansible":
            if path != IMPORTS_ANSIBLE or not module.startswith("ansible.module_utils"):
                wrong.append(f"{path.name}:{line}: a package of module_utils does not import Ansible ({module})")
        elif top not in sys.stdlib_module_names:
            wrong.append(f"{path.name}:{line}: {module} comes from common/libraries.py only")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGES)))
def test_what_a_file_looks_like(path: Path) -> None:
    """One subject a file: an outline fits a screen.

    Names say the subject. Empty ``__init__.py`` are for ansible-test's pylint alone.
    """
    text = path.read_text()
    if path.name == "__init__.py":
        assert text == ""
        return
    assert text.startswith("# GNU General Public License v3.0+"), "licence header"
    assert "from __future__ import annotations\n" in text
    assert ast.get_docstring(ast.parse(text)), "a docstring says what the file is"
    assert path.stem not in {"utils", "helpers", "misc", "util", "helper"}
    assert len(text.splitlines()) <= 600


# It says where optional data is, and imports nothing of the collection.
SHARED = {"ansible_collections.zerotouch.openshift.tests.support.upstream"}


def test_the_lab_and_the_collection_share_nothing() -> None:
    wrong = []
    for path in [*(ROOT / "plugins").rglob("*.py"), *(ROOT / "lab").rglob("*.py")]:
        in_lab = "lab" in path.relative_to(ROOT).parts[:1]
        for line, module in imports_anywhere(path):
            foreign = module.startswith("ansible_collections.zerotouch") if in_lab else module.split(".")[0] == "ztlab"
            if foreign and module not in SHARED:
                wrong.append(f"{path.relative_to(ROOT)}:{line}: {module}")
    assert not wrong, "\n".join(wrong)


def imports_anywhere(path: Path) -> Iterator[tuple[int, str]]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield node.lineno, node.module or ""
