// SPDX-License-Identifier: Apache-2.0
import Glibc

@testable import TernFiles

/// A folder of one test, removed with the object.
final class TestFolder {
    let path = "/tmp/tern-files-\(getpid())-\(UInt64.random(in: 0 ... .max))"

    init() { unsafe mkdir(path, 0o700) }

    deinit {
        for name in names { unsafe unlink(self[name]) }
        unsafe rmdir(path)
    }

    /// The path of a file in the folder.
    subscript(_ name: String) -> String { path + "/" + name }

    /// The names of the files in the folder.
    var names: [String] {
        guard let directory = unsafe opendir(path) else { return [] }
        defer { unsafe closedir(directory) }
        var names: [String] = []
        while let entry = unsafe readdir(directory) {
            let name = unsafe withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    func write(_ text: String, to name: String) throws {
        let file = try OutputFile.create(self[name], permissions: 0o640)
        try file.write(text, at: 0)
    }

    func text(of name: String) throws -> String? { try OutputFile.openOwned(self[name])?.text() }
}

extension OutputFile {
    func write(_ text: String, at offset: Int64) throws {
        try unsafe Array(text.utf8).withUnsafeBytes { try unsafe write($0, at: offset) }
    }

    /// The first 100 bytes.
    func text() throws -> String {
        var bytes = [UInt8](repeating: 0, count: 100)
        let count = try unsafe bytes.withUnsafeMutableBytes { try unsafe read(into: $0, at: 0) }
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }
}
