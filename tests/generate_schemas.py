# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Write docs/schemas from the collection's own table: ``PYTHONPATH=.build python tests/generate_schemas.py``."""

from __future__ import annotations

from pathlib import Path

from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.schema import schema_files

if __name__ == "__main__":
    directory = Path(__file__).resolve().parents[1] / "docs" / "schemas"
    directory.mkdir(parents=True, exist_ok=True)
    for name, text in schema_files().items():
        (directory / name).write_text(text, encoding="utf-8")
