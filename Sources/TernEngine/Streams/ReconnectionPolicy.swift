// SPDX-License-Identifier: Apache-2.0

/// Whether and when a stream of events is resumed after it has ended or was interrupted.
///
/// A server may set the delay (`retry`); after failed attempts the delay doubles. Permanent failures are not retried:
/// an untrusted server, a response that is not a stream of events.
public struct ReconnectionPolicy: Sendable, Hashable {
    /// The delay, unless the server sets it.
    public var delay = Duration.seconds(3)
    /// The minimum delay, whatever the server sets.
    public var minimumDelay = Duration.milliseconds(100)
    /// The maximum delay that a server may set.
    public var maximumDelay = Duration.seconds(3600)
    /// The maximum of the doubled delay, if the server does not set a longer one.
    public var maximumBackOff = Duration.seconds(60)
    /// The maximum number of consecutive failed attempts; nil sets no limit, 0 never resumes a stream.
    public var maximumAttempts: Int?

    /// Creates a policy with default values for those not given.
    public init() {}

    /// Never resumes: a stream that ends is over, and an interrupted one is an error.
    public static var never: ReconnectionPolicy {
        var policy = ReconnectionPolicy()
        policy.maximumAttempts = 0
        return policy
    }
}
