// SPDX-License-Identifier: Apache-2.0

/// Time limits. Each error names the one that passed, and in which phase. A limit fires at most about 5 ms late.
public struct Timeouts: Sendable, Hashable {
    /// Waiting for a connection to be free or to be opened; nil waits as long as `total` lets.
    public var queue: Duration?
    /// From the decision to open a connection to its being ready: resolving, connecting and the TLS handshake.
    public var connect: Duration
    /// Waiting for `100 Continue` where the request has an `Expect` field; then the content is sent all the same (RFC
    /// 9110 §10.1.1). No error. If `idle` is shorter, that long.
    public var `continue` = Duration.seconds(1)
    /// From the last octet of the request to the head of the final response; nil sets no limit of its own.
    public var head: Duration?
    /// Without a byte in either direction while a request is under way; nil waits for ever.
    public var idle: Duration?
    /// From `resume()` to completion, waiting for a connection included; nil sets no limit.
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
    /// A server may be silent about what it expects, and that is no failure.
    var permission: Duration { idle.map { min($0, self.continue) } ?? self.continue }
}
