// SPDX-License-Identifier: Apache-2.0

/// A session together with the verdict it was made under. A resumed handshake shows no certificate, so the verdict has
/// to travel with the session; and it must still hold when the session is offered.
struct ResumableSession: Sendable {
    let reference: SessionReference
    let evidence: TrustEvidence
    private let expiry: Int64

    init(_ reference: SessionReference, evidence: TrustEvidence) {
        self.reference = reference
        self.evidence = evidence
        expiry = reference.expiry
    }

    func isUsable(at time: Int64) -> Bool { time < expiry && evidence.validity.contains(time) }
}
