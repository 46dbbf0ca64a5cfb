// SPDX-License-Identifier: Apache-2.0

/// A session with the verdict under which it was established. A resumed handshake has no certificate, so the verdict is
/// kept with the session; and it must still hold when the session is offered.
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
