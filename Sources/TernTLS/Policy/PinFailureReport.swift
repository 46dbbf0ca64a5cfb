// SPDX-License-Identifier: Apache-2.0

/// A server that did not meet a pin set: what RFC 7469 §3 has a client report.
public struct PinFailureReport: Sendable {
    /// The evaluation: both chains, the keys seen, the moment.
    public let result: ServerTrustResult
    /// Which rule the server broke.
    public let failure: TrustFailure
    /// The port the server was reached at.
    public let port: UInt16
    /// The set it did not meet.
    public let pinSet: PinSet

    /// Whether the connection was refused for it.
    public var isRefused: Bool { !result.isAccepted }

    /// - Returns: nil if the server met the set, or the set has expired.
    public init?(_ answered: ServerTrustResult, port: UInt16, pinSet: PinSet) {
        // What a delegate makes of a verdict is no matter of pins.
        let result = answered.policyVerdict ?? answered
        if result.isChainValidated {
            // Of several sets, this one speaks of its own pins.
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
