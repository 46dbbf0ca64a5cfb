// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Tern

/// Whether to check if certificates have been revoked, over the network if necessary.
struct RevocationOptions: ParsableArguments {
    @Flag(
        name: .customLong("check-revocation"),
        help: "Refuse certificates that are known to be revoked, by a stapled or fetched OCSP response or by a list.")
    var checks = false

    @Flag(
        name: .customLong("cert-status"),
        help: "As --check-revocation, and also refuse a certificate without a positive response.")
    var demands = false

    /// Nil if revocation is not checked.
    var policy: ServerTrustPolicy? {
        guard checks || demands else { return nil }
        return .performRevokedEvaluation(
            validateHost: true,
            revocationFlags: demands ? [.useAnyAvailableMethod, .requirePositiveResponse] : .useAnyAvailableMethod)
    }
}
