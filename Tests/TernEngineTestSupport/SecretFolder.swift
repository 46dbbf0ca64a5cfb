// SPDX-License-Identifier: Apache-2.0
// Safety: C functions are given terminated strings.
import FoundationEssentials
import Glibc
import TernLock
import TernTLS
import TernTesting
import Testing

/// A folder with files of certificates, gone with the object.
final class SecretFolder: Sendable {
    private let root: TestFolder
    private let openFile = Lock<Int32?>(nil)

    init() throws {
        root = try TestFolder()
        try FileManager.default.createDirectory(atPath: root.path + "/tls", withIntermediateDirectories: true)
    }

    deinit { if let openFile = openFile.withLock({ $0 }) { close(openFile) } }

    func path(_ name: String) -> String { root.path + "/tls/" + name }

    func url(_ name: String) -> URL { URL(filePath: path(name)) }

    func write(_ text: String, to name: String) throws { try Data(text.utf8).write(to: url(name)) }

    func write(_ bytes: [UInt8], to name: String) throws { try Data(bytes).write(to: url(name)) }

    /// Writes it aside and renames it.
    func replace(_ name: String, with text: String) throws { try replace(name, with: Array(text.utf8)) }

    func replace(_ name: String, with bytes: [UInt8]) throws {
        try write(bytes, to: "aside-" + name)
        #expect(unsafe rename(path("aside-" + name), path(name)) == 0)
    }

    /// Writes without ever closing the file, as a file system without inotify would appear.
    func overwriteKeepingOpen(_ name: String, with text: String) throws {
        let file = unsafe open(path(name), O_WRONLY | O_CLOEXEC)
        #expect(file >= 0)
        openFile.withLock { $0 = file }
        let bytes = Array(text.utf8)
        #expect(unsafe pwrite(file, bytes, bytes.count, 0) == bytes.count)
        #expect(ftruncate(file, off_t(bytes.count)) == 0)
    }

    /// Moves the whole folder away and makes another one in its place.
    func replaceWhole(_ fill: (SecretFolder) throws -> Void) throws {
        #expect(unsafe rename(root.path + "/tls", root.path + "/old") == 0)
        try FileManager.default.createDirectory(atPath: root.path + "/tls", withIntermediateDirectories: true)
        try fill(self)
    }

    /// As Kubernetes does it: the files of a version in a folder, to which one link leads that is replaced.
    func mount(_ files: [String: String], version: Int) throws {
        try mount(files.mapValues { Array($0.utf8) }, version: version)
    }

    func mount(_ files: [String: [UInt8]], version: Int) throws {
        let target = "..version-\(version)"
        try FileManager.default.createDirectory(atPath: path(target), withIntermediateDirectories: true)
        for (name, text) in files { try write(text, to: "\(target)/\(name)") }
        try FileManager.default.createSymbolicLink(atPath: path("..data_tmp"), withDestinationPath: target)
        #expect(unsafe rename(path("..data_tmp"), path("..data")) == 0)
        for name in files.keys where version == 1 {
            try FileManager.default.createSymbolicLink(atPath: path(name), withDestinationPath: "..data/\(name)")
        }
        if version > 1 { try FileManager.default.removeItem(atPath: path("..version-\(version - 1)")) }
    }
}

extension Identity {
    var der: [UInt8]? { try? X509Certificate(pem: certificatePEM).der }
}
