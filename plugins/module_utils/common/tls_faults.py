# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Choose the hint for a TLS error, which says what the user can do about it.

The choice depends on the error text of OpenSSL, urllib3 or the server.
"""

from __future__ import annotations

# Words of the fault, and the remedy. The first row that matches counts; the last one matches all faults.
_REMEDIES: tuple[tuple[tuple[str, ...], str], ...] = (
    (
        (
            "WRONG_VERSION_NUMBER",
            "wrong version number",
            "RECORD_LAYER_FAILURE",
            "record layer failure",
            "HTTP_REQUEST",
        ),
        "The server does not use TLS on this port. Use http:// in the URL, or the port of its TLS service.",
    ),
    (
        ("Fingerprints did not match",),
        (
            "The certificate was replaced, or another machine answers at this address. If the certificate was "
            "replaced, "
            "set fingerprint to the new one."
        ),
    ),
    (
        ("ostname mismatch", "not valid for", "doesn't match", "IP address mismatch"),
        (
            "The certificate is for another name. Use a name that the certificate contains, or set fingerprint to "
            "trust "
            "this certificate."
        ),
    ),
    (("certificate has expired",), "Renew the certificate of the server, or correct the clock of this machine."),
    (("certificate is not yet valid",), "Correct the clock of this machine or of the server."),
    (
        ("",),
        (
            "Set ca_cert to the CA that issued the certificate. For a BMC, fingerprint can be set to the certificate "
            "instead."
        ),
    ),
)
# What a server says to a plain request on its TLS port: Go, nginx, Apache.
_WANTS_TLS = (
    "HTTP request to an HTTPS server",
    "plain HTTP request was sent to HTTPS port",
    ("speaking plain HTTP to an SSL-enabled server port"),
)
# The start of a TLS alert, which an HTTP client takes for a status line.
_ALERT = "\\x15\\x03"


def remedy_of(text: str) -> str:
    """What to do about a failed handshake."""
    return next(remedy for words, remedy in _REMEDIES if any(word in text for word in words))


def expects_tls(text: str) -> bool:
    """Whether a server answered a plain request as one that expects TLS does.

    ``text`` is the body of an error, or what is wrong with the answer.
    """
    return _ALERT in text or any(words in text for words in _WANTS_TLS)
