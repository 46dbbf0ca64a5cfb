// SPDX-License-Identifier: Apache-2.0
import TernIO

/// Where a request leaves: a transport, and for a dialogue without sockets what takes as much as it is told to.
protocol Outlet: AnyObject {
    /// Whether octets are sealed before they leave, so that the kernel cannot send a file by itself.
    var isSecure: Bool { get }
    /// Sends the first bytes of `bytes`; 0 means wait for writability.
    func send(_ bytes: UnsafeRawBufferPointer) throws(TransportError) -> Int
    /// Sends bytes of a file; only where nothing is sealed.
    func send(_ file: borrowing FileSource, at offset: Int64, count: Int) throws(SystemCallError) -> IOResult
}

extension Transport: Outlet {}
