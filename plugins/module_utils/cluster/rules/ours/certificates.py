# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Check the dates of certificates in the additional trust bundle: expired, or not valid yet."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ....common import libraries
from ....common.problems import INVALID, Problem
from ...upstream.credentials import certificates
from ..checks import INSTALL_CONFIG, own
from ..facts import Facts

if TYPE_CHECKING:
    from cryptography import x509

_PATH = "additionalTrustBundle"


def certificate_dates(facts: Facts) -> Iterator[Problem]:
    for certificate in (
        certificates(facts.cluster.additional_trust_bundle)[0] if facts.cluster.additional_trust_bundle else []
    ):
        first, last = _day(certificate, "not_valid_before"), _day(certificate, "not_valid_after")
        if last < facts.today:
            detail = f"the certificate of {_common_name(certificate)} expired on {last.isoformat()}"
            yield own("certificate-expired", _PATH, INVALID, detail, file=INSTALL_CONFIG)
        elif first > facts.today:
            detail = f"the certificate of {_common_name(certificate)} is valid from {first.isoformat()} on"
            yield own("certificate-not-yet-valid", _PATH, INVALID, detail, file=INSTALL_CONFIG)


def _day(certificate: x509.Certificate, name: str) -> datetime.date:
    # The names with _utc came with cryptography 42.
    found: datetime.datetime = getattr(certificate, f"{name}_utc", None) or getattr(certificate, name)
    return found.date()


def _common_name(certificate: x509.Certificate) -> str:
    names = certificate.subject.get_attributes_for_oid(libraries.x509.NameOID.COMMON_NAME)
    return str(names[0].value) if names else f"serial number {certificate.serial_number:x}"
