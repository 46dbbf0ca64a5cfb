// SPDX-License-Identifier: Apache-2.0
import CTernLinux
import Glibc

extension Socket {
    /// Makes the next close send a RST (`SO_LINGER` of zero seconds). Unsent bytes are dropped, and the peer learns at
    /// once that no more will come; a FIN, and the kernel memory of those bytes, would have to wait until the peer
    /// makes room.
    public func resetOnClose() {
        var option = linger(l_onoff: 1, l_linger: 0)
        // An error is ignored: without the option the close is merely slow.
        _ = unsafe setsockopt(
            descriptor.rawValue, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }
}
