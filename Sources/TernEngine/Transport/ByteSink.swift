// SPDX-License-Identifier: Apache-2.0
import TernIO

/// Receives the bytes of a request: a transport, or in tests without sockets a buffer of limited size.
protocol ByteSink: AnyObject {
    /// Whether bytes are sealed before they are sent, so that the kernel cannot send a file itself.
    var isSecure: Bool { get }
    /// Sends the first bytes of `bytes`; 0 means wait for writability.
    func send(_ bytes: UnsafeRawBufferPointer) throws(TransportError) -> Int
    /// Sends bytes of a file; only where no bytes are sealed.
    func send(_ file: borrowing FileSource, at offset: Int64, count: Int) throws(SystemCallError) -> IOResult
}

extension Transport: ByteSink {}
