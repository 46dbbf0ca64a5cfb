// SPDX-License-Identifier: Apache-2.0
import CTernLinux
import Glibc

/// Owns one file descriptor; its end closes it. Lent by borrowing `rawValue`.
public struct Descriptor: ~Copyable, Sendable {
    /// The kernel's number for it; valid while the value is borrowed.
    public let rawValue: Int32

    /// Takes over `rawValue`, which no other code may close.
    public init(owning rawValue: Int32) {
        self.rawValue = rawValue
    }

    deinit {
        // On Linux the descriptor is gone whatever close(2) returns; repeating it could close a stranger's.
        _ = close(rawValue)
    }
}
