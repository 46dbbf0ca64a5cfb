// SPDX-License-Identifier: Apache-2.0

/// The result of a non-blocking transfer.
public enum IOResult: Sendable, Hashable {
    /// This many bytes moved; always more than zero.
    case bytes(Int)
    /// The kernel has no bytes, or no room for them: wait for readiness.
    case wouldBlock
    /// The peer will send no more.
    case endOfStream
}
