# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the table of named checks, and the values that option ``openshift_checks`` accepts."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.rules.checks import CHECKS, check_names
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.rules.validate import validate
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.problems import apply_checks
from ansible_collections.zerotouch.openshift.tests.unit.cluster_rules.catalogue import CATALOGUE, TODAY, good_deployment

PACKAGE = Path(__file__).parents[3] / "plugins" / "module_utils" / "cluster"
# Checks by default severity (docs/reference/checks.md).
WARN = (
    "certificate-expired",
    "prefix-mismatch",
    "dns-missing",
    "default-route-missing",
    "mtu",
    "registry-without-credentials",
    "release-image-tag",
)
ERROR = (
    *(
        "duplicate-hostname",
        "duplicate-address",
        "duplicate-mac",
        "vip-clash",
        "rendezvous-host",
        "rendezvous-network",
        "bond-port-missing",
    ),
    *("release-image", "interface-mac-mismatch", "gateway-unreachable", "hostname-invalid"),
)


@pytest.mark.parametrize(("names", "default"), [(WARN, "warn"), (ERROR, "error")])
def test_defaults(names: tuple[str, ...], default: str) -> None:
    assert {CHECKS[name].default for name in names} == {default}


@pytest.mark.parametrize("name", CHECKS)
def test_every_check_has_a_text_and_a_correction(name: str) -> None:
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", name)
    assert CHECKS[name].text.endswith(".") and CHECKS[name].correction


def test_every_check_named_in_the_package_is_in_the_table() -> None:
    texts = [path.read_text() for path in PACKAGE.rglob("*.py")]
    used = {name for text in texts for name in re.findall(r'(?:own\(|check=)"([a-z-]+)"', text)}
    assert used <= set(CHECKS)


def test_every_check_of_the_rules_has_a_mistake() -> None:
    in_rules = {
        name for path in (PACKAGE / "rules").rglob("*.py") for name in re.findall(r'own\("([a-z-]+)"', path.read_text())
    }
    # About 4.23 and later, which the catalogue's deployment is not: they are tested with those releases.
    later = {"fencing-host", "interface-name"}
    assert in_rules | {"rendezvous-host", "rendezvous-network"} <= {mistake.check for mistake in CATALOGUE} | later


def test_a_check_can_be_turned_off_or_lowered() -> None:
    mistake = next(mistake for mistake in CATALOGUE if mistake.check == "duplicate-hostname")
    problems = validate(mistake.change(good_deployment()), today=TODAY)
    assert [problem.severity for problem in problems] == ["error"]
    assert [problem.severity for problem in apply_checks(problems, {"duplicate-hostname": "warn"})] == ["warning"]
    assert apply_checks(problems, {"duplicate-hostname": "off"}) == []


def test_openshift_checks_itself() -> None:
    problems = check_names({"mtu": "off", "dns-mising": "warn", "vip-clash": "no"})
    assert [(problem.path, problem.kind, problem.hint) for problem in problems] == [
        ("openshift_checks.dns-mising", "Unsupported value", "did you mean dns-missing?"),
        ("openshift_checks.vip-clash", "Invalid value", ""),
    ]


@pytest.mark.parametrize("mistake", CATALOGUE, ids=lambda mistake: mistake.name)
def test_no_problem_shows_a_secret(mistake: object) -> None:
    """Pull secret, BMC passwords and the trust bundle stay out of every text."""
    problems = validate(mistake.change(good_deployment()), today=TODAY)  # type: ignore[attr-defined]
    shown = " ".join(str(problem.as_dict()) for problem in problems)
    assert not [secret for secret in ("dXNlcjpnZWhlaW0", "geheim", "BEGIN CERTIFICATE") if secret in shown]
