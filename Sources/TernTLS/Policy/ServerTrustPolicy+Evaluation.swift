// SPDX-License-Identifier: Apache-2.0

extension ServerTrustPolicy {
    /// Evaluates a server for a host: a DNS name in A-label form or an IP literal without brackets. Uses no file, clock
    /// or network, except in a custom evaluation.
    public func evaluate(_ trust: ServerTrust, host: String) -> ServerTrustResult {
        var evaluation = PolicyEvaluation(trust: trust, host: host)
        return evaluation.result(of: self)
    }

    /// Whether a server is accepted for a host, as in Alamofire 4; `evaluate(_:host:)` also gives the reason.
    public func evaluate(_ serverTrust: ServerTrust, forHost host: String) -> Bool {
        evaluate(serverTrust, host: host).isAccepted
    }

    /// Evaluates a chain as `evaluate` does, but for no particular host: no name is checked. For tests without a
    /// network; a connection always has a host.
    public func evaluateChain(_ trust: ServerTrust) -> ServerTrustResult {
        var evaluation = PolicyEvaluation(trust: trust, host: nil)
        return evaluation.result(of: self)
    }
}
