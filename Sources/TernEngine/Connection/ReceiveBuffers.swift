// SPDX-License-Identifier: Apache-2.0

/// Where sockets receive into, and where that is opened to over TLS. Lent by the reactor for a turn.
@unsafe struct ReceiveBuffers {
    let input: UnsafeMutableRawBufferPointer
    let plaintext: UnsafeMutableRawBufferPointer

    /// The first octets of HTTP that a call of `Transport.receive` has brought.
    func received(_ count: Int, isOpened: Bool) -> UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(rebasing: (isOpened ? plaintext : input)[..<count])
    }
}
