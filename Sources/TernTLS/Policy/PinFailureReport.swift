// SPDX-License-Identifier: Apache-2.0

/// A server that did not match a pin set: the report of RFC 7469 §3.
public struct PinFailureReport: Sendable {
    /// The evaluation: both chains, the keys found, the time.
    public let result: ServerTrustResult
    /// The rule that the server broke.
    public let failure: TrustFailure
    /// The server's port.
    public let port: UInt16
    /// The pin set that did not match.
    public let pinSet: PinSet

    /// Whether the connection was refused for this reason.
    public var isRefused: Bool { !result.isAccepted }

    /// - Returns: nil if the server matched the set, or the set has expired.
    public init?(_ answered: ServerTrustResult, port: UInt16, pinSet: PinSet) {
        // A delegate's decision about a verdict does not concern pins.
        let result = answered.policyVerdict ?? answered
        if result.isChainValidated {
            // With several sets, the report names the pins of this one.
            guard !pinSet.isExpired(at: result.time), !pinSet.matches(result.verifiedChain) else { return nil }
            failure = TrustFailure(
                .keyNotPinned(pins: pinSet.allPins), host: result.host, seen: result.verifiedChain)
        } else {
            guard let failure = result.failure ?? result.waived else { return nil }
            self.failure = failure
        }
        self.result = result
        self.port = port
        self.pinSet = pinSet
    }
}
