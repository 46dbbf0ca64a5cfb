// SPDX-License-Identifier: Apache-2.0

/// Whether and when a stream of events is taken up again after it has ended, or broken off.
///
/// A server may say how long to wait (`retry`); where an attempt brings no stream, the wait doubles from one to the
/// next. What cannot be better next time is not tried again: a server that is not trusted, an answer that is no stream
/// of events.
public struct ReconnectionPolicy: Sendable, Hashable {
    /// How long to wait unless the server says.
    public var delay = Duration.seconds(3)
    /// The shortest wait, whatever the server says.
    public var minimumDelay = Duration.milliseconds(100)
    /// The longest wait that a server may ask for.
    public var maximumDelay = Duration.seconds(3600)
    /// Up to which the wait doubles, if the server does not ask for more.
    public var maximumBackOff = Duration.seconds(60)
    /// How often in a row an attempt may bring no stream; nil sets no limit, 0 forbids to take up a stream again.
    public var maximumAttempts: Int?

    /// The defaults; change what should be otherwise.
    public init() {}

    /// A stream that ends has ended, and one that breaks off is an error.
    public static var never: ReconnectionPolicy {
        var policy = ReconnectionPolicy()
        policy.maximumAttempts = 0
        return policy
    }
}
