// SPDX-License-Identifier: Apache-2.0

/// Timeouts. Each error names the one that passed, and the phase. A timeout fires at most about 5 ms late.
public struct Timeouts: Sendable, Hashable {
    /// The maximum time to wait for a connection; nil waits as long as `total` allows.
    public var queue: Duration?
    /// The maximum time to open a connection: resolving, connecting and the TLS handshake.
    public var connect: Duration
    /// The maximum time to wait for `100 Continue` if the request has an `Expect` field; afterwards the content is sent
    /// (RFC 9110 §10.1.1). Not an error. A shorter `idle` applies instead.
    public var `continue` = Duration.seconds(1)
    /// The maximum time from the last byte of the request to the head of the final response; nil sets no limit of its
    /// own.
    public var head: Duration?
    /// The maximum time without a byte in either direction during a request; nil sets no limit.
    public var idle: Duration?
    /// The maximum time from `resume()` to completion, including the wait for a connection, and retries unless
    /// ``RetryPolicy/limitsEachAttempt``; nil sets no limit.
    public var total: Duration?

    /// 10 s to connect; 60 s without a byte, as in URLSession; no limit on the rest.
    public init(
        queue: Duration? = nil, connect: Duration = .seconds(10), head: Duration? = nil, idle: Duration? = .seconds(60),
        total: Duration? = nil
    ) {
        self.queue = queue
        self.connect = connect
        self.head = head
        self.idle = idle
        self.total = total
    }
}

extension Timeouts {
    /// URLSession's interval, in seconds: ``idle``, within which a connection has to be opened, too, unless ``connect`` was
    /// chosen beside it.
    var interval: Double {
        get { idle?.inSeconds ?? .infinity }
        set {
            let isChosen = connect != Self.connect(within: idle)
            idle = Duration(limit: newValue)
            if !isChosen { connect = Self.connect(within: idle) }
        }
    }

    private static func connect(within idle: Duration?) -> Duration { min(Timeouts().connect, idle ?? .seconds(3600)) }

    /// A server need not answer an expectation, and that is no failure.
    var permission: Duration { idle.map { min($0, self.continue) } ?? self.continue }
}

// Intervals, as URLSession has them.
extension Duration {
    var inSeconds: Double { self / .seconds(1) }

    /// Nil for values that set no limit.
    init?(limit seconds: Double) {
        guard seconds > 0, seconds < 9e9 else { return nil }
        self = .seconds(seconds)
    }
}
