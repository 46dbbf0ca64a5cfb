// SPDX-License-Identifier: Apache-2.0

/// Where sockets receive into, and where that is opened to over TLS. Lent by the reactor for a turn.
@unsafe struct ReceiveBuffers {
    var input: UnsafeMutableRawBufferPointer
    var plaintext: UnsafeMutableRawBufferPointer

    /// The same, but for where HTTP goes.
    func receiving(into room: UnsafeMutableRawBufferPointer, isOpened: Bool) -> ReceiveBuffers {
        var buffers = unsafe self
        if isOpened { unsafe buffers.plaintext = room } else { unsafe buffers.input = room }
        return unsafe buffers
    }

    /// The first octets of HTTP that a call of `Transport.receive` has brought.
    func received(_ count: Int, isOpened: Bool) -> UnsafeMutableRawBufferPointer {
        unsafe UnsafeMutableRawBufferPointer(rebasing: (isOpened ? plaintext : input)[..<count])
    }
}
