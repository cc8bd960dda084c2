# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""List the accepted differences between the lab's service and the recorded real one, each with its reason.

A pattern is searched in the text ``scenario / name path: theirs | ours``.
"""

from __future__ import annotations

TOLERATED: tuple[tuple[str, str], ...] = (
    (r"^access / (wrong type|wrong type inside|a list) .*message", "names of Go types are not known to the lab"),
    (
        r"^access / wrong method.*message",
        ("upstream's order of the methods is that of a map: it changes from run to run"),
    ),
    (
        r"^access / catalogue /supported-operators \.body\[",
        ("upstream's order is that of a map: it changes from run to run"),
    ),
    (
        r"^access / catalogue /component-versions \.body\.versions\.assisted-installer-service",
        "the recorded binary was built without a version",
    ),
    (r"^access / catalogue /supported-operators/none \.body", "the reason is the lab's own; upstream sends none"),
    (
        r"^access / catalogue /operators/bundles/virtualization",
        ("the lab knows fewer operators of a bundle; nothing depends on them"),
    ),
    (
        r"^access / catalogue /support-levels/features.*(openshift_version=x|4\.18|vsphere)",
        ("the lab tells levels by release only as far as its clients ask"),
    ),
    (r"^creations / create: architecture without a release", "upstream looks at the platform first"),
    (
        r"^creations / create: load balancer of the user on a single node",
        "which of two contradictions is reported first",
    ),
    (
        r"^(creations|changes) / (read|patched) .*(validations_info|connectivity_majority_groups|ip_collisions)",
        "whether the monitor came by between two calls",
    ),
    (
        r"^(changes|imports|three_nodes) / .*image_info\.created_at",
        ("upstream fills in the time of the call in some answers"),
    ),
    (
        r"^changes / the install-config \.pullSecret",
        ("openshift/assisted-service masks it today; the recorded service did not"),
    ),
    (
        r"^changes / too early: install .*reason",
        ("the whole list of validations is in the text; which of them had been judged is a matter of time"),
    ),
    (r"^imports / .*(feature_usage|vip_dhcp_allocation)", "members of an imported cluster that were never set"),
    (r"^infra_envs / cleared .*rendezvous_ip", "upstream does not show what was set for a disconnected image"),
    (
        r"^infra_envs / cleared .*ssh_authorized_key",
        ("an empty key does not clear it upstream; swagger.yaml says that an empty string clears"),
    ),
    (r"^infra_envs / create: ntp twice", "which of two mistakes is reported first"),
    (
        r"^infra_envs / infra-env of a cluster that went",
        ("upstream leaves the id of the cluster that is gone; the lab's hub needs it cleared"),
    ),
    (r"^infra_envs / initrd \.code", "upstream packs a proxy of the image too"),
    (r"^manifests / create: (no yaml|patch that is none) .*reason", "words of another YAML library"),
    (
        r"^changes_of_a_host / patch: role automatic .*suggested_role",
        ("the role is suggested again at once; upstream's monitor does it later"),
    ),
    (r"has-(cpu-cores|memory)-for-role", "judged for the suggested role at once; upstream judges before it suggests"),
    (
        r"^registration / .*belongs-to-majority-group|^registration / .*no-ip-collisions",
        ("pending for another reason while there is one host"),
    ),
    (r"^registration / after the media \.body\.status", "whether the monitor came by between two calls"),
    (
        r"^late_binding / known .*validations_info",
        ("a host without a cluster has fewer validations in the lab; those that decide are the same"),
    ),
    (r"^late_binding / known .*not_eligible_reasons", "the smallest requirement of any role, an arbiter's included"),
    (
        r"^single_node / host after reset .*bootstrap",
        ("the single node is bootstrap at once again; upstream at the next installation"),
    ),
    (r"free_addresses", "upstream drops the lists when the VIPs are verified"),
    (r"^single_node / ready host .*machine-cidr-defined", "another text of the same verdict"),
    (
        r"^(single_node / steps|three_nodes / install request).*installer_args",
        ("the lab's installer does not use the arguments for DHCP"),
    ),
    (
        r"^(single_node / steps|three_nodes / install request).*(mco|must_gather)_image",
        "the lab's releases hold no images",
    ),
    (r"images_status.*ocp-v4\.0-art-dev", "the lab's releases hold no images"),
    (
        r"^three_nodes / allow .*api_vip_dns_name",
        ("openshift/assisted-service has the name today; the recorded service returned the VIP"),
    ),
    (
        r"^three_nodes / installed.*validations_info",
        "upstream keeps what it judged before the reboot, without what it no longer knows",
    ),
    (
        r"^three_nodes / installed: custom_manifests",
        ("the lab makes the file on demand; upstream when it prepares the installation"),
    ),
)
