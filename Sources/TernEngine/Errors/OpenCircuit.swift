// SPDX-License-Identifier: Apache-2.0
public import TernHTTP1
public import TernIO

/// Why a circuit breaker holds a request back, and until when.
public struct OpenCircuit: Sendable, Hashable {
    /// The server that it is about: its host and its port count.
    public let origin: HTTPOrigin
    /// When it lets a request pass, as a probe.
    public let nextProbe: MonotonicInstant
    /// How long that is from the refusal on.
    public let delay: Duration
    /// Whether probes are on their way: if they succeed before, requests pass earlier.
    public let isHalfOpen: Bool

    package init(_ origin: HTTPOrigin, nextProbe: MonotonicInstant, delay: Duration, isHalfOpen: Bool) {
        (self.origin, self.nextProbe, self.delay, self.isHalfOpen) = (origin, nextProbe, delay, isHalfOpen)
    }
}

extension OpenCircuit: CustomStringConvertible {
    /// One line for a log.
    public var description: String {
        let tenths = Int((max(.zero, delay) / .milliseconds(100)).rounded(.up))
        let time = "\(tenths / 10).\(tenths % 10) s"
        let host = origin.host.contains(":") ? "[\(origin.host)]" : origin.host.excerpt
        let breaker = "the circuit breaker of \(host):\(origin.port) is"
        return isHalfOpen
            ? "\(breaker) half-open: a probe is on its way, and another request may pass in \(time)"
            : "\(breaker) open: too many requests failed, and the next one may pass in \(time)"
    }
}
