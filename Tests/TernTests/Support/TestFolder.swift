// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A folder of a test's own, gone with the object.
final class TestFolder: Sendable {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("tern-\(UUID().uuidString)")

    init() { try? FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(at: url) }

    func file(_ name: String, _ text: String) throws -> URL {
        let file = url.appendingPathComponent(name)
        try Data(text.utf8).write(to: file)
        return file
    }
}
