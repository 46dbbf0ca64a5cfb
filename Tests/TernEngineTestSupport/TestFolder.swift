// SPDX-License-Identifier: Apache-2.0
// Safety: C functions are given terminated strings.
import FoundationEssentials
import Glibc

/// A folder of a test's own, gone with the object.
final class TestFolder: Sendable {
    let path: String

    init() throws {
        path = "/tmp/tern-folder-\(getpid())-\(UInt64.random(in: 0 ... .max))"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        unsafe chmod(path, 0o700)
        try? FileManager.default.removeItem(atPath: path)
    }

    func url(_ name: String) -> URL { URL(filePath: path + "/" + name) }

    /// What is in it, hidden or not, in order.
    var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted() }

    /// Nil if there is no such file.
    func content(_ name: String) -> [UInt8]? { (try? Data(contentsOf: url(name))).map { Array($0) } }

    func write(_ text: String, to name: String) throws { try Data(text.utf8).write(to: url(name)) }

    func permissions(_ name: String) -> UInt32 {
        var status = stat()
        return unsafe stat(path + "/" + name, &status) == 0 ? UInt32(status.st_mode) & 0o7777 : 0
    }
}
