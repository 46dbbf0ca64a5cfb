// SPDX-License-Identifier: Apache-2.0
import Glibc
import Synchronization

@testable import TernIO

/// A file of our own, gone when the value ends.
final class TemporaryFile: Sendable {
    private static let count = Atomic<Int>(0)

    let path: String
    private let descriptor: Descriptor

    init(_ bytes: [UInt8] = []) throws {
        let path = "/tmp/tern-file-\(getpid())-\(Self.count.add(1, ordering: .relaxed).newValue)"
        descriptor = Descriptor(
            owning: try SystemCall.run(.open) { unsafe open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600) })
        self.path = path
        let raw = descriptor.rawValue
        var written = 0
        while written < bytes.count {
            guard
                case .bytes(let count) = try SystemCall.transfer(
                    .send,
                    {
                        unsafe bytes.withUnsafeBytes {
                            unsafe write(raw, $0.baseAddress! + written, $0.count - written)
                        }
                    })
            else { return }
            written += count
        }
    }

    deinit { _ = unsafe unlink(path) }

    /// Shortens or lengthens it.
    func truncate(to size: Int) { _ = ftruncate(descriptor.rawValue, off_t(size)) }
}
