// SPDX-License-Identifier: Apache-2.0

extension ServerTrustPolicy {
    /// Judges a server for a host: a DNS name in A-label form or an IP literal without brackets. Reads no file, no
    /// clock and no network, apart from what a custom evaluation does.
    public func evaluate(_ trust: ServerTrust, host: String) -> ServerTrustResult {
        var evaluation = PolicyEvaluation(trust: trust, host: host)
        return evaluation.result(of: self)
    }

    /// Whether a server is accepted for a host, as Alamofire 4 asks; `evaluate(_:host:)` also says why.
    public func evaluate(_ serverTrust: ServerTrust, forHost host: String) -> Bool {
        evaluate(serverTrust, host: host).isAccepted
    }

    /// Judges a chain as `evaluate` does, but for no host in particular: no name is checked. For tests without a
    /// network; a connection always has a host.
    public func evaluateChain(_ trust: ServerTrust) -> ServerTrustResult {
        var evaluation = PolicyEvaluation(trust: trust, host: nil)
        return evaluation.result(of: self)
    }
}
