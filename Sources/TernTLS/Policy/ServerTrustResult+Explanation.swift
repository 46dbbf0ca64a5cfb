// SPDX-License-Identifier: Apache-2.0

extension ServerTrustResult: CustomStringConvertible {
    public var description: String { explanation }

    /// Several lines for people: the verdict, the rule, and every key in the form of a pin.
    public var explanation: String {
        var lines = [
            "\(host.isEmpty ? "any host" : host): \(isAccepted ? "accepted" : "refused")", "policy: \(policy)",
        ]
        if let failure {
            lines.append("reason: \(failure.sentence)")
            if !failure.verifyText.isEmpty {
                lines.append("openssl: error \(failure.verifyCode) at depth \(failure.depth): \(failure.verifyText)")
            }
        }
        if let overridden { lines.append("refused by the policy, accepted by a delegate: \(overridden.sentence)") }
        if let waived { lines.append("not refused, only reported: \(waived.sentence)") }
        lines += section(
            isChainValidated ? "verified chain:" : "path whose signatures hold, not validated:", verifiedChain)
        if verifiedChain.isEmpty { lines += section("sent by the server, not verified:", sentChain) }
        switch (failure ?? overridden ?? waived)?.reason {
        case .keyNotPinned(let pins): lines += ["pinned keys:"] + pins.map { "     \($0.pin)" }
        case .certificateNotPinned(let pins): lines += section("pinned certificates:", pins)
        default: break
        }
        return lines.joined(separator: "\n")
    }

    private func section(_ title: String, _ certificates: [X509Certificate]) -> [String] {
        guard !certificates.isEmpty else { return [] }
        return [title]
            + certificates.enumerated().flatMap { depth, certificate in
                [
                    "  \(depth)  \(certificate)",
                    "     \(certificate.publicKey.pin)",
                    "     \(Timestamp.text(certificate.notBefore)) to \(Timestamp.text(certificate.notAfter))",
                ]
            }
    }
}
