// SPDX-License-Identifier: Apache-2.0
public import TernHTTP1
public import TernIO
public import TernTLS

/// How a session behaves. Read once, when the session is made.
public struct SessionConfiguration: Sendable {
    /// Connections to one origin, or to one Unix domain socket, at a time, 1 or more; further requests wait their turn.
    public var httpMaximumConnectionsPerHost = 16
    /// Requests that may wait for a connection to one origin; one more fails with `queueFull`.
    public var maximumQueuedRequestsPerHost = 100_000
    /// How long a connection is kept without a request. Shorter than most servers keep it, so that they close less
    /// often under a request's feet.
    public var maximumIdleTime = Duration.seconds(30)
    /// Limits for requests that set none.
    public var timeouts = Timeouts()
    /// How long a delegate may take to answer a server trust challenge. ``Timeouts/connect`` stands still meanwhile.
    public var challengeTimeout = Duration.seconds(60)
    /// What becomes of a response that sends the client elsewhere, for requests that do not say.
    public var redirectPolicy = RedirectPolicy.follow()
    /// Whether bodies in gzip and deflate are asked for and decoded, for requests that do not say; unknown codings are
    /// delivered as they come.
    public var decodesContent = true
    /// What decoding a body may cost.
    public var contentDecodingLimits = ContentDecodingLimits()
    /// Whether a request is sent once more, unasked, where a kept-alive connection was lost without an answer and that
    /// does no harm; see ``RepeatPolicy``.
    public var repeatsLostRequests = true
    /// The Unix domain socket at which all servers are to be found, redirected to or not, for requests that name none
    /// of their own; nil finds them at their hosts and ports. What the session asks for itself, such as whether a
    /// certificate is revoked, goes over the network all the same.
    public var unixSocket: UnixSocketName?
    /// Added to every request that has no field of that name.
    public var httpAdditionalHeaders: HeaderFields = ["Accept": "*/*", "User-Agent": "Tern"]
    /// The header fields whose values are secrets in every request, besides those that always are and those that a
    /// request marks itself.
    public var sensitiveFields = SensitiveFields()
    /// The most that `data(for:)` collects, in bytes. Streams have no such limit.
    public var maximumCollectedBodySize = 64 * 1024 * 1024
    /// Trust anchors and protocol versions.
    public var tls = TLSSettings()
    /// What a response head or chunk may cost.
    public var limits = ParsingLimits()
    /// The rules of HTTP/1.1 that servers may break; none by default, and each option says what it gives away.
    public var leniency: ParsingLeniency = []
    /// Threads of the session's own; nil shares the process's reactors (one for every two processors).
    public var reactorCount: Int?

    /// The defaults; change what should be otherwise.
    public init() {}

    /// The settings a session has when it is given none.
    public static var `default`: SessionConfiguration { SessionConfiguration() }
}

// URLSession's names.
extension SessionConfiguration {
    /// Seconds without a byte while a request is under way: ``Timeouts/idle``; 0 or less, or infinity, for none.
    public var timeoutIntervalForRequest: Double {
        get { timeouts.idle?.inSeconds ?? .infinity }
        set { timeouts.idle = Duration(limit: newValue) }
    }

    /// Seconds from `resume()` to completion: ``Timeouts/total``; 0 or less, or infinity, for none.
    public var timeoutIntervalForResource: Double {
        get { timeouts.total?.inSeconds ?? .infinity }
        set { timeouts.total = Duration(limit: newValue) }
    }
}

extension Duration {
    fileprivate var inSeconds: Double { self / .seconds(1) }

    /// Nil for what is no limit.
    fileprivate init?(limit seconds: Double) {
        guard seconds > 0, seconds < 9e9 else { return nil }
        self = .seconds(seconds)
    }
}
