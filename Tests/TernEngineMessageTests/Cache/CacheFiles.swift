// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernFiles

@testable import TernEngine
@testable import TernEngineTestSupport

/// The folder of a cache as a test sees it: its files, and their bytes.
struct CacheFiles: Sendable {
    let folder: TestFolder
    let path: String

    /// - Parameter parent: where the folder is made; in one of the test's own by default.
    init(in parent: String? = nil) throws {
        folder = try TestFolder()
        path = (parent ?? folder.path) + "/cache"
    }

    /// A cache object of its own on the folder.
    func open(memory: Int = 1 << 20, disk: Int = 1 << 24) throws -> URLCache {
        try URLCache(memoryCapacity: memory, diskCapacity: disk, folder: URL(filePath: path))
    }

    /// The paths of all files below the folder.
    var all: [String] { Self.files(in: path) }

    /// The files of records.
    var records: [String] { all.filter { Self.name($0).utf8.count == 32 } }

    /// The files with content.
    var contents: [String] { all.filter { Self.name($0).utf8.dropFirst(32).first == UInt8(ascii: "-") } }

    static func name(_ path: String) -> Substring { path.split(separator: "/").last ?? "" }

    private static func files(in folder: String) -> [String] {
        FilePath.names(in: folder).sorted().flatMap { name in
            let path = folder + "/" + name
            return FileStatus(of: path)?.kind == .folder ? files(in: path) : [path]
        }
    }

    func bytes(_ path: String) -> [UInt8] { (try? FileContent.read(path, limit: 1 << 26)) ?? [] }

    func text(_ path: String) -> String { String(decoding: bytes(path), as: UTF8.self) }

    /// Replaces a file.
    func write(_ bytes: [UInt8], to path: String) throws { try OutputFile.replace(path, by: bytes) }
}

extension CacheFolder {
    /// What is stored under the URL, most recent first.
    func responses(for url: String) -> [StoredResponse] {
        records(for: url).compactMap { $0.response(url: url) }.sorted { $0.isMoreRecent(than: $1) }
    }
}
