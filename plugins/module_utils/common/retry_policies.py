# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""The retry policies of the collection, each with its reason. Callers name one; no other file has numbers of attempts.

Two policies for one service differ in what a second request may do: a policy for reads and for writes with the same
effect the second time, and a stricter one for all other writes.
"""

from __future__ import annotations

import dataclasses

from .retry import Answers, Backoff, RetryPolicy

_ANY_STATUS = range(100, 1000)
_SERVER_FAULT = range(500, 1000)
_ANY_KIND = frozenset({"dns", "refused", "timeout", "slow", "tls", "proxy", "broken"})

# -- BMCs ---------------------------------------------------------------------------------------------------------------

# BMCs drop connections and answer 5xx while they are busy. iDRAC (SYS518) and iLO say it with 400 as well.
_BMC_BUSY = (("SYS518",), ("iLO", "InvalidOperationForSystemState"))
_BMC_CONNECTION = frozenset({"refused", "timeout", "broken"})
BMC_READ = RetryPolicy(10, Backoff(3.0), (Answers(_SERVER_FAULT), Answers({400}, _BMC_BUSY)), _BMC_CONNECTION)
# A write is repeated only if the BMC says that it did nothing.
BMC_WRITE = dataclasses.replace(BMC_READ, answers=(Answers({400, *_SERVER_FAULT}, _BMC_BUSY),))
# An address without a BMC has to fail within seconds.
BMC_FIRST_CONTACT = BMC_READ.limited(3)
# Inserting and ejecting fail with 5xx while the BMC still closes the former medium.
BMC_MEDIA = RetryPolicy(3, Backoff(3.0), (Answers(_SERVER_FAULT),))
# iDRAC10 refuses power-on for up to a minute after power-off.
BMC_POWER = RetryPolicy(7, Backoff(10.0), (Answers({409}, (("ActionParameterValueConflict",),)),))
# Boot settings are read-only during POST, which takes minutes on large machines.
BMC_BOOT_SETTINGS = RetryPolicy(6, Backoff(5.0, 2.0, 30.0), (Answers(_ANY_STATUS, (("UnableToModifyDuringSystemPOST",),)),))

# -- Kubernetes APIs ----------------------------------------------------------------------------------------------------

# 429 is the API's flow control, whatever the method. A refused connection carried no request. Clients set the number of
# attempts, and for how long an API that has answered may be away (an upgrade restarts kube-apiserver).
_KUBE_BACKOFF = Backoff(1.0, 2.0, 10.0)
KUBE_REPEATABLE = RetryPolicy(
    1,
    _KUBE_BACKOFF,
    (Answers({429, *_SERVER_FAULT}),),
    unreachable=frozenset({"timeout", "broken"}),
    longest_retry_after=30.0,
    away=frozenset({"refused", "broken"}),
)
KUBE_ONCE = RetryPolicy(1, _KUBE_BACKOFF, (Answers({429}),), longest_retry_after=30.0, away=frozenset({"refused"}))

# -- assisted-service ---------------------------------------------------------------------------------------------------

# The option `retries` sets the number of attempts.
_ASSISTED_BACKOFF = Backoff(0.5, 2.0, 8.0)
ASSISTED_REPEATABLE = RetryPolicy(
    1, _ASSISTED_BACKOFF, (Answers({429, 502, 503, 504}),), frozenset({"refused", "dns", "broken", "timeout", "proxy"}), longest_retry_after=60.0
)
# A gateway that says this has passed the request on to no server, so even one that creates something may be sent again.
_NOT_PASSED_ON = (("no healthy upstream",), ("Application is not available",))
ASSISTED_ONCE = RetryPolicy(1, _ASSISTED_BACKOFF, (Answers({429}), Answers({503}, _NOT_PASSED_ON)), frozenset({"refused", "dns"}), longest_retry_after=60.0)
# The exchange of an offline token has the same effect however often it is requested.
TOKEN_EXCHANGE = RetryPolicy(1, _ASSISTED_BACKOFF, (Answers({429, 500, 502, 503, 504}),), _ANY_KIND)
# An agent that still runs registers again between the deletion of its host and that of the InfraEnv.
ASSISTED_INFRA_ENV_DELETION = RetryPolicy(5, Backoff(0.0), (Answers({409}),))

# -- files --------------------------------------------------------------------------------------------------------------

# A transfer resumes where it stopped, so a repeat is cheap. A name that does not exist, a certificate that is not
# trusted and a server that is too slow are the same the second time.
DOWNLOAD = RetryPolicy(6, Backoff(1.0, 2.0, 15.0), (Answers({408, 429, 500, 502, 503, 504}),), _ANY_KIND - {"dns", "tls", "slow"})
# An upload begins again from its first byte.
UPLOAD = RetryPolicy(4, Backoff(1.0, 2.0, 15.0), DOWNLOAD.answers, DOWNLOAD.unreachable)
# A renewal of the lease of a stored state must be over well before the lease ends.
STATE_STORE = RetryPolicy(3, Backoff(1.0, 2.0), (Answers({429, *_SERVER_FAULT}),), frozenset({"refused", "timeout", "slow", "broken"}))
# A discovery image may change during its transfer: a change of the InfraEnv makes the service build another one.
IMAGE_CHANGED = RetryPolicy(4, Backoff(0.0))

# -- supervision of an installation -------------------------------------------------------------------------------------

# Each look at the installation may try again, not earlier than after the pause. A repaired host needs that long to boot.
DETACH = RetryPolicy(3, Backoff(30.0))
REPAIR = RetryPolicy(2, Backoff(900.0))
# The Agents of a hub show the next stage of a host minutes later, so no pause is needed.
HUB_DETACH = RetryPolicy(3, Backoff(0.0))

# -- looks at something that changes ------------------------------------------------------------------------------------

# Hosts appear minutes after their boot.
REGISTRATION_LOOKS = Backoff(1.0, 2.0, 30.0)
# While only time passes, the hub's clock is read now and then: it may run faster or slower than ours.
HUB_CLOCK_LOOKS = Backoff(1.0, 2.0, 15.0)
