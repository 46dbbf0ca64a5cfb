// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A folder of a test's own, gone with it.
final class TemporaryFolder: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("tern-tests-\(UUID())")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func file(_ name: String, _ text: String? = nil) throws -> URL {
        let file = url.appendingPathComponent(name)
        if let text { try Data(text.utf8).write(to: file) }
        return file
    }

    var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []).sorted() }
}

extension URL {
    /// What is in the file.
    var text: String? { (try? Data(contentsOf: self)).map { String(decoding: $0, as: UTF8.self) } }
}
