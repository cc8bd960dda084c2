# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Generate ``docs/reference/bmcs.md`` from the collection's table of BMCs."""

from __future__ import annotations

from ansible_collections.zerotouch.openshift.plugins.module_utils.bmc.profile import PROFILES, Profile

_HEAD = """# BMCs

<!-- Generated from plugins/module_utils/bmc/profile.py: PYTHONPATH=.build python tests/generate_docs.py -->

After reading this page you know how the boot procedure differs for your BMCs, the source of each difference, and what to report if a BMC behaves differently.

All BMCs are booted by the same steps: power off, eject, insert the image, boot once from the virtual CD, power on. `hosts[].profile` of the results
of `bmc_info` and `boot_hosts` names the profile that was used. The profile is selected by values that the BMC returns: ServiceRoot `Vendor` and `Oem`, then the
manufacturer of System and Manager, then model and firmware. `profile.py` has one entry for each row of these tables. For each entry a test shows that a lab machine
does not boot without it.

GET requests share one connection if the ServiceRoot's `Vendor` is Dell, HPE, Lenovo or Supermicro. All writes, and all requests to other BMCs, open a
new connection each.

The column *seen on hardware* names the firmware of machines on which the behaviour was seen with this collection. The column is empty where the
behaviour is known only from its source.

"""  # noqa: E501
_COLUMNS = "| the BMC | attribute | source | seen on hardware |\n|---|---|---|---|\n"
_TAIL = """## What every BMC is expected to do

* Images are read by `http` and `https`, and by `nfs` and `cifs` where `openshift_publish.url` says so. If a slot lists the protocols that it takes,
  and the image's is not among them, the host is refused before anything is done to any machine.
* The InsertMedia request contains only the image. `TransferProtocolType`, `TransferMethod` and dummy credentials are added when the BMC requires them.
* A slot is not used if it has no InsertMedia action and does not accept a PATCH either (header `Allow` of its response).
* A missing licence for virtual media is reported before the power is switched, if the BMC shows it, and otherwise with the failed insert.
* If a boot fails after the power was switched off, the image is ejected and the former power state restored. The message says so, or why it was not
  possible.
* A machine that was off is left as it is if another run, or a person, starts it meanwhile. The power state is read before each eject, insert and boot
  override, and before the machine is restored. If the machine already holds the image of this run, the run waits 30 s for such a start. It
  is also left as it is if its BMC refuses the image, and the slot, empty when this run first read it, now contains an image of another process. The
  phase of such a host is `in_use`, and its boot is not recorded. `scale_node_pool` then uses another machine.
* After 503 or 429, every request is repeated. After another 5xx answer or a broken connection, a request is repeated only if repeating it is safe (the
  second request has the same effect). A pause that the BMC names, in the header `Retry-After` or in its message, is respected, up to 60 s. Hosts that failed for such a reason are read again at the end.

## A BMC that is not here, or behaves in another way

Capture its resources with a tool such as [Redfish-Mockup-Creator](https://github.com/DMTF/Redfish-Mockup-Creator), remove what must not leave your
site, and serve the directory:

```bash
ztlab replay DIRECTORY
```

It prints the address for `bmc.address`. Then run `bmc_info` and `boot_hosts` against it, and attach directory and output to an issue.
[Rehearse](../how-to/rehearse-racks.md#a-bmc-from-captured-answers) describes the command.
"""  # noqa: E501


def bmcs_page() -> str:
    return _HEAD + "".join(_section(profile) for profile in PROFILES.values() if profile.quirks) + _TAIL


def _section(profile: Profile) -> str:
    rows = [f"| {quirk.text} | `{quirk.field}` | {quirk.source} | {quirk.seen_on} |\n" for quirk in profile.quirks]
    return f"## {profile.title}\n\nProfile `{profile.name}`.\n\n{_COLUMNS}{''.join(rows)}\n"
