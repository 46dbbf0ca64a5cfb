// SPDX-License-Identifier: Apache-2.0

/// What a non-blocking transfer did.
public enum IOResult: Sendable, Hashable {
    /// This many bytes moved; always more than zero.
    case bytes(Int)
    /// The kernel has nothing to give, or no room to take: wait for readiness.
    case wouldBlock
    /// The peer will send no more.
    case endOfStream
}
