// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A folder that goes with this object.
final class TemporaryFolder: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "tern-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// Writes a file, creating its folders, and returns its path.
    @discardableResult
    func write(_ contents: Data, to name: String) throws -> String {
        let file = url.appending(path: name)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try contents.write(to: file)
        return file.path
    }

    @discardableResult
    func write(_ text: String, to name: String) throws -> String { try write(Data(text.utf8), to: name) }
}

/// Long contents, put together from a part whose length is prime, so that no piece which is lost, repeated or moved
/// leaves them as they were. Byte by byte, they would take seconds to make without optimisation.
enum Pattern {
    private static let part = Data((0..<65_521).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 11) })

    static func bytes(_ count: Int) -> Data {
        var bytes = Data(capacity: count + part.count)
        while bytes.count < count { bytes.append(part) }
        return bytes.prefix(count)
    }
}
