// SPDX-License-Identifier: Apache-2.0

extension TLSSession {
    /// Whether ciphertext waits to be sent. True after most calls of `handshake` and `seal`, sometimes after `open`.
    public var hasOutgoing: Bool { outgoingCount > 0 }

    /// The number of ciphertext bytes that wait to be sent.
    public var outgoingCount: Int { unsafe wire.pointee.outgoing.count }

    /// Passes the waiting ciphertext to `send`, which returns how many bytes it took; the rest stays.
    public mutating func drainOutgoing(_ send: (UnsafeRawBufferPointer) -> Int) {
        unsafe wire.pointee.outgoing.drain(send)
    }
}
