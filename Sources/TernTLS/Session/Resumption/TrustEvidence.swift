// SPDX-License-Identifier: Apache-2.0

/// A verdict that accepted a server, and how long it is valid.
struct TrustEvidence: Sendable {
    let result: ServerTrustResult
    /// The input of the verdict, for a session whose user is asked about it; nil for others.
    let revocation: RevocationData?
    /// The range of times for which the evaluation would give the same verdict, in seconds since 1970. Evaluation is a
    /// pure function, and only the time changes. Not before the verdict: a clock that was ahead may have let pins
    /// expire.
    let validity: ClosedRange<Int64>

    /// Whatever the tickets' lifetime, a server must present its certificates at least once a day.
    private static let maximumAge: Int64 = 86400
    /// Unknown revocation status may soon become known.
    private static let ageWithoutRevocation: Int64 = 300

    /// Nil for a refusal.
    init?(_ result: ServerTrustResult, at time: Int64, revocation: RevocationData? = nil) {
        guard result.isAccepted else { return nil }
        self.result = result
        self.revocation = revocation
        var end = time &+ Self.maximumAge
        // A policy that does not validate the chain ignores dates.
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
