// SPDX-License-Identifier: Apache-2.0

/// The buffers that sockets receive into, and that TLS is opened into. Lent by the reactor for a tick.
@unsafe struct ReceiveBuffers {
    var input: UnsafeMutableRawBufferPointer
    var plaintext: UnsafeMutableRawBufferPointer

    /// The same, without the destination of the HTTP bytes.
    func receiving(into room: UnsafeMutableRawBufferPointer, isOpened: Bool) -> ReceiveBuffers {
        var buffers = unsafe self
        if isOpened { unsafe buffers.plaintext = room } else { unsafe buffers.input = room }
        return unsafe buffers
    }

    /// The first HTTP bytes that a call of `Transport.receive` has returned.
    func received(_ count: Int, isOpened: Bool) -> UnsafeMutableRawBufferPointer {
        unsafe UnsafeMutableRawBufferPointer(rebasing: (isOpened ? plaintext : input)[..<count])
    }
}
