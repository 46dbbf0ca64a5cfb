// SPDX-License-Identifier: Apache-2.0

/// Time limits. Each error names the one that passed. A limit fires at most about 5 ms late.
public struct Timeouts: Sendable, Hashable {
    /// From the decision to open a connection to its being ready: resolving, connecting and the TLS handshake.
    public var connect: Duration
    /// Without a byte in either direction while a request is under way; nil waits for ever.
    public var idle: Duration?
    /// From `resume()` to completion, waiting for a connection included; nil sets no limit.
    public var total: Duration?

    /// 10 s to connect; 60 s without a byte, as in URLSession; no limit in total.
    public init(connect: Duration = .seconds(10), idle: Duration? = .seconds(60), total: Duration? = nil) {
        self.connect = connect
        self.idle = idle
        self.total = total
    }
}
