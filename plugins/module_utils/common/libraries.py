# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Import third-party packages such as kubernetes and netaddr; no other file imports them.

Each package is imported when it is first used (``import kubernetes`` alone takes 0.65 s). If a package is missing, the
error is :class:`MissingLibrary`, which modules report with Ansible's message.

Source: docs/upstream/ansible.md#cost-of-imports.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from .errors import MissingLibrary

if TYPE_CHECKING:
    import bcrypt
    import jmespath
    import kubernetes
    import libvirt
    import netaddr
    import urllib3
    import yaml
    from cryptography import exceptions as cryptography_exceptions
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec, rsa
    from cryptography.hazmat.primitives.asymmetric import utils as asymmetric_utils
    from cryptography.hazmat.primitives.ciphers import aead

# name used by our packages -> (module to import, distribution to name to the user)
_LIBRARIES = {
    "bcrypt": ("bcrypt", "bcrypt"),
    "jmespath": ("jmespath", "jmespath"),
    "libvirt": ("libvirt", "libvirt-python"),
    "kubernetes": ("kubernetes", "kubernetes"),
    "netaddr": ("netaddr", "netaddr"),
    "urllib3": ("urllib3", "urllib3"),
    "yaml": ("yaml", "PyYAML"),
    "zstandard": ("zstandard", "zstandard"),
    "x509": ("cryptography.x509", "cryptography"),
    "cryptography_exceptions": ("cryptography.exceptions", "cryptography"),
    "hashes": ("cryptography.hazmat.primitives.hashes", "cryptography"),
    "serialization": ("cryptography.hazmat.primitives.serialization", "cryptography"),
    "ec": ("cryptography.hazmat.primitives.asymmetric.ec", "cryptography"),
    "rsa": ("cryptography.hazmat.primitives.asymmetric.rsa", "cryptography"),
    "asymmetric_utils": ("cryptography.hazmat.primitives.asymmetric.utils", "cryptography"),
    "aead": ("cryptography.hazmat.primitives.ciphers.aead", "cryptography"),
    "scrypt": ("cryptography.hazmat.primitives.kdf.scrypt", "cryptography"),
}

__all__ = [
    "aead",
    "asymmetric_utils",
    "bcrypt",
    "cryptography_exceptions",
    "ec",
    "hashes",
    "jmespath",
    "kubernetes",
    "libvirt",
    "netaddr",
    "rsa",
    "serialization",
    "urllib3",
    "x509",
    "yaml",
]


def __getattr__(name: str) -> Any:
    """Import on first use; raises :class:`MissingLibrary` where the package cannot be imported."""
    if name not in _LIBRARIES:
        raise AttributeError(name)
    module_name, distribution = _LIBRARIES[name]
    try:
        module = importlib.import_module(module_name)
    except ImportError as error:
        raise MissingLibrary(distribution, str(error)) from error
    globals()[name] = module
    return module
