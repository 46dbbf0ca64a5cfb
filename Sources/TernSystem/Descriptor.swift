// SPDX-License-Identifier: Apache-2.0
import CTernLinux
import TernLibC

/// Owns one file descriptor and closes it in its deinit. Callers borrow `rawValue`.
public struct Descriptor: ~Copyable, Sendable {
    /// The kernel's number for it; valid while the value is borrowed.
    public let rawValue: Int32

    /// Takes ownership of `rawValue`, which no other code may close.
    public init(owning rawValue: Int32) {
        self.rawValue = rawValue
    }

    deinit {
        // On Linux close(2) frees the number also when it fails; a second call could close another descriptor.
        _ = close(rawValue)
    }
}

extension Descriptor {
    /// How many descriptors the process may have at present.
    package static var limit: Int {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
        return Int(clamping: limit.rlim_cur)
    }
}
