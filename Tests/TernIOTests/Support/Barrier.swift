// SPDX-License-Identifier: Apache-2.0
import CTernLinux
import Glibc

@testable import TernIO

/// Holds threads up until it is opened; open ever after.
final class Barrier: Sendable {
    private let descriptor: Descriptor

    init() { descriptor = Descriptor(owning: eventfd(0, 0)) }

    func pass() {
        var entry = pollfd(fd: descriptor.rawValue, events: Int16(POLLIN), revents: 0)
        _ = unsafe poll(&entry, 1, 20_000)
    }

    func open() { _ = eventfd_write(descriptor.rawValue, 1) }
}
