// SPDX-License-Identifier: Apache-2.0

/// A verdict that accepted a server, and how long it can be relied on.
struct TrustEvidence: Sendable {
    let result: ServerTrustResult
    /// What the verdict was reached by, for a session whose user is asked about it; nil for others.
    let revocation: RevocationData?
    /// When the same evaluation would come to the same verdict, in seconds since 1970. Evaluation is a pure function,
    /// and of all it depends on only the time changes. Not before the verdict: a clock that was ahead may have let pins
    /// expire.
    let validity: ClosedRange<Int64>

    /// However good the tickets, once a day a server proves its identity anew.
    private static let maximumAge: Int64 = 86400
    /// What could not be found out about revocation may be found out soon.
    private static let ageWithoutRevocation: Int64 = 300

    /// Nil for a refusal.
    init?(_ result: ServerTrustResult, at time: Int64, revocation: RevocationData? = nil) {
        guard result.isAccepted else { return nil }
        self.result = result
        self.revocation = revocation
        var end = time &+ Self.maximumAge
        // Where the policy does not validate the chain, it does not look at dates.
        for certificate in result.isChainValidated ? result.verifiedChain : [] {
            guard let notAfter = certificate.notAfter else { return nil }
            end = min(end, notAfter)
        }
        for finding in result.revocation {
            if case .good(let until) = finding.status {
                end = min(end, until)
            } else {
                end = min(end, time &+ Self.ageWithoutRevocation)
            }
        }
        guard time <= end else { return nil }
        validity = time...end
    }
}
