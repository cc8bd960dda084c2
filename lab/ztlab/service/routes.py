# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Register all paths of the assisted-service with their handlers, in the order of the endpoint index of
openshift/assisted-service swagger.yaml.
"""

from __future__ import annotations

from . import bodies, catalogue, clusters, event_handlers, files, hosts, infra_envs, manifests, steps
from .router import Router

C = "/v2/clusters/{cluster_id}"
INFRA = "/v2/infra-envs/{infra_env_id}"
HOST = INFRA + "/hosts/{host_id}"


def build_router() -> Router:
    router = Router()
    _clusters(router)
    _cluster_parts(router)
    _infra_envs(router)
    _hosts(router)
    _catalogue(router)
    return router


def _clusters(router: Router) -> None:
    add = router.add
    add("POST", "/v2/clusters", "U", clusters.create, bodies.CLUSTER_CREATE, "new-cluster-params")
    add("GET", "/v2/clusters", "UW", clusters.list_all)
    add("POST", "/v2/clusters/import", "U", clusters.import_cluster, bodies.CLUSTER_IMPORT, "new-import-cluster-params")
    add(
        "POST",
        "/v2/clusters/disconnected",
        "U",
        clusters.register_disconnected,
        bodies.CLUSTER_DISCONNECTED,
        "new-cluster-params",
    )
    add("GET", "/v2/clusters/default-config", "U", catalogue.default_config)
    add("GET", C, "UAW", clusters.get)
    add("PATCH", C, "U", clusters.update, bodies.CLUSTER_UPDATE, "cluster-update-params")
    add("DELETE", C, "U", clusters.delete)
    add("GET", C + "/hosts", "UA", clusters.list_hosts)
    add("POST", C + "/actions/install", "U", clusters.install)
    add("POST", C + "/actions/cancel", "U", clusters.cancel)
    add("POST", C + "/actions/reset", "U", clusters.reset)
    add("POST", C + "/actions/allow-add-hosts", "U", clusters.allow_add_hosts)
    add("POST", C + "/actions/allow-add-workers", "U", clusters.allow_add_hosts)
    add(
        "POST",
        C + "/actions/complete-installation",
        "A",
        clusters.complete_installation,
        bodies.COMPLETION,
        "completion-params",
    )
    add("GET", C + "/install-config", "U", clusters.get_install_config)
    add("PATCH", C + "/install-config", "U", clusters.patch_install_config, bodies.JSON_TEXT, "install-config-params")
    add("GET", C + "/ignored-validations", "U", clusters.get_ignored_validations)
    add(
        "PUT",
        C + "/ignored-validations",
        "U",
        clusters.put_ignored_validations,
        bodies.IGNORED_VALIDATIONS,
        "ignored_validations",
    )
    add("GET", C + "/ui-settings", "U", clusters.get_ui_settings)
    add("PUT", C + "/ui-settings", "U", clusters.set_ui_settings, bodies.JSON_TEXT, "ui-settings")
    add("GET", C + "/preflight-requirements", "U", clusters.preflight_requirements)
    add("GET", C + "/supported-platforms", "U", clusters.supported_platforms)


def _cluster_parts(router: Router) -> None:
    add = router.add
    add("GET", C + "/credentials", "U", files.credentials)
    add("GET", C + "/downloads/credentials", "UA", files.download_credentials, binary=True)
    add("GET", C + "/downloads/files", "UAL", files.download_files, binary=True)
    add("GET", C + "/downloads/files-presigned", "U", files.presigned_file)
    add("GET", C + "/downloads/credentials-presigned", "U", files.presigned)
    add("GET", C + "/manifests", "U", manifests.list_all)
    add("POST", C + "/manifests", "U", manifests.create, bodies.MANIFEST_CREATE, "CreateManifestParams")
    add("PATCH", C + "/manifests", "U", manifests.update, bodies.MANIFEST_UPDATE, "UpdateManifestParams")
    add("DELETE", C + "/manifests", "U", manifests.delete)
    add("GET", C + "/manifests/files", "U", manifests.download, binary=True)
    add("GET", C + "/logs", "UL", files.download_logs, binary=True)
    add("POST", C + "/logs", "A", files.upload_logs)
    add("PUT", C + "/logs-progress", "A", files.cluster_logs_progress, bodies.LOGS_PROGRESS, "logs-progress-params")
    add("PUT", C + "/progress", "A", clusters.finalizing_progress, bodies.FINALIZING_PROGRESS, "finalizing-progress")
    add(
        "POST",
        C + "/uploads/ingress-cert",
        "A",
        clusters.upload_ingress_certificate,
        bodies.JSON_TEXT,
        "ingress-cert-params",
    )
    add("GET", C + "/monitored-operators", "A", clusters.list_operators)
    add("PUT", C + "/monitored-operators", "A", clusters.report_operator, bodies.OPERATOR_REPORT, "report-params")


def _infra_envs(router: Router) -> None:
    add = router.add
    add("POST", "/v2/infra-envs", "U", infra_envs.create, bodies.INFRA_ENV_CREATE, "infraenv-create-params")
    add("GET", "/v2/infra-envs", "UW", infra_envs.list_all)
    add("GET", INFRA, "UALi", infra_envs.get)
    add("PATCH", INFRA, "U", infra_envs.update, bodies.INFRA_ENV_UPDATE, "infra-env-update-params")
    add("DELETE", INFRA, "U", infra_envs.delete)
    add("GET", INFRA + "/downloads/image-url", "U", infra_envs.get_image_url)
    add("GET", INFRA + "/downloads/files", "UALi", infra_envs.download, binary=True)
    add("GET", INFRA + "/downloads/files-presigned", "U", infra_envs.presigned)
    add("GET", INFRA + "/downloads/minimal-initrd", "ULh", infra_envs.minimal_initrd, binary=True)
    add("POST", INFRA + "/regenerate-signing-key", "U", infra_envs.regenerate_signing_key)


def _hosts(router: Router) -> None:
    add = router.add
    add("POST", INFRA + "/hosts", "A", hosts.register, bodies.HOST_CREATE, "new-host-params")
    add("GET", INFRA + "/hosts", "UA", hosts.list_all)
    add("GET", HOST, "U", hosts.get)
    add("PATCH", HOST, "U", hosts.update, bodies.HOST_UPDATE, "host-update-params")
    add("DELETE", HOST, "U", hosts.delete)
    add("GET", HOST + "/instructions", "A", steps.instructions)
    add("POST", HOST + "/instructions", "A", steps.reply, bodies.STEP_REPLY, "reply")
    add("PUT", HOST + "/progress", "A", hosts.report_progress, bodies.HOST_PROGRESS, "host-progress")
    add("PUT", HOST + "/logs-progress", "A", hosts.logs_progress, bodies.LOGS_PROGRESS, "logs-progress-params")
    add("POST", HOST + "/actions/bind", "U", hosts.bind, bodies.HOST_BIND, "bind-host-params")
    add("POST", HOST + "/actions/unbind", "U", hosts.unbind)
    add("POST", HOST + "/actions/install", "U", hosts.install)
    add("POST", HOST + "/actions/reset", "U", hosts.reset)
    add("PATCH", HOST + "/actions/reset-validation/{validation_id}", "U", hosts.reset_validation)
    add("PATCH", HOST + "/installer-args", "U", hosts.installer_args, bodies.INSTALLER_ARGS, "installer-args-params")
    add("GET", HOST + "/ignition", "U", hosts.get_ignition)
    add("PATCH", HOST + "/ignition", "U", hosts.patch_ignition, bodies.HOST_IGNITION, "host-ignition-params")
    # Upstream spells this one path in the singular.
    add(
        "GET",
        "/v2/infra-env/{infra_env_id}/hosts/{host_id}/downloads/ignition",
        "UA",
        hosts.download_ignition,
        binary=True,
    )


def _catalogue(router: Router) -> None:
    add = router.add
    add("GET", "/v2/events", "ULW", event_handlers.list_events)
    add("POST", "/v2/events", "A", event_handlers.trigger, bodies.EVENT, "trigger-event-params")
    add("GET", "/v2/component-versions", "U", catalogue.component_versions)
    add("GET", "/v2/openshift-versions", "U", catalogue.openshift_versions)
    add("GET", "/v2/release-sources", "U", catalogue.release_sources)
    add("GET", "/v2/domains", "U", catalogue.domains)
    add("GET", "/v2/supported-operators", "U", catalogue.supported_operators)
    add("GET", "/v2/supported-operators/{operator_name}", "U", catalogue.operator_properties)
    add("GET", "/v2/operators/bundles", "U", catalogue.bundles)
    add("GET", "/v2/operators/bundles/{id}", "U", catalogue.bundle)
    add("GET", "/v2/support-levels/features", "U", catalogue.features)
    add("GET", "/v2/support-levels/features/detailed", "U", catalogue.features_detailed)
    add("GET", "/v2/support-levels/architectures", "U", catalogue.architectures)
