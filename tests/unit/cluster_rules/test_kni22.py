# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the configuration files of a published walkthrough (cluster kni22): after its pull secret is corrected,
validation reports exactly these warnings.
"""

from __future__ import annotations

import datetime
import re
from pathlib import Path

from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.files import from_directory
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.rules.validate import validate

KNI22 = Path(__file__).parents[1] / "data" / "kni22"


def test_rules_warn_of_certificate_and_prefix_only(tmp_path: Path) -> None:
    text = (KNI22 / "install-config.yaml").read_text()
    (tmp_path / "install-config.yaml").write_text(re.sub(r"(?m)^pullSecret: ''(.*)''$", r"pullSecret: '\1'", text))
    (tmp_path / "agent-config.yaml").write_text((KNI22 / "agent-config.yaml").read_text())
    deployment, problems = from_directory(tmp_path, version="4.22.0")
    assert deployment is not None
    assert not [problem for problem in problems if problem.severity == "error"]
    found = validate(deployment, today=datetime.date(2026, 6, 1))
    assert [(problem.check, problem.severity) for problem in found] == [
        ("prefix-mismatch", "warning"),
        ("certificate-expired", "warning"),
    ]
    assert "asus3-vm1, asus3-vm2, asus3-vm3" in found[0].detail
