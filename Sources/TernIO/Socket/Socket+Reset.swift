// SPDX-License-Identifier: Apache-2.0
import CTernLinux
import Glibc

extension Socket {
    /// Makes the coming close a RST (`SO_LINGER` of zero seconds). What is not sent yet is dropped, and the peer learns
    /// at once that no more will come; a FIN would have to wait behind it until the peer makes room, and kernel memory
    /// with it.
    public func resetOnClose() {
        var option = linger(l_onoff: 1, l_linger: 0)
        // Nothing depends on it: without the option the close is merely slow.
        _ = unsafe setsockopt(
            descriptor.rawValue, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }
}
