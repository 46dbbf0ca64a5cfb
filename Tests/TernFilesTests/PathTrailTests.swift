// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import TernFiles

@Suite struct PathTrailTests {
    private let tree = try? Tree()
    private var root: String { tree?.path ?? "" }

    /// The names of entries by their folder below the test's own.
    private func trail(_ paths: String...) -> [String: Set<String>] {
        var trail = PathTrail()
        for path in paths { trail.add(path) }
        let own = trail.folders.filter { $0.key.hasPrefix(root) }
        return Dictionary(
            uniqueKeysWithValues: own.map { folder, names in
                (String(folder.dropFirst(root.count)), Set(names.map { String(decoding: $0, as: UTF8.self) }))
            })
    }

    private func link(_ name: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(atPath: "\(root)/\(name)", withDestinationPath: target)
    }

    private func makeFolder(_ name: String) throws {
        try FileManager.default.createDirectory(atPath: "\(root)/\(name)", withIntermediateDirectories: true)
    }

    @Test func `of a file its entry counts, and that the folders above it stay where they are`() throws {
        try makeFolder("a/b")
        try Data("x".utf8).write(to: URL(filePath: "\(root)/a/b/file"))
        #expect(trail("\(root)/a/b/file") == ["": [], "/a": [], "/a/b": ["file"]])
        #expect(trail("\(root)/a/./b/../b/file") == ["": [], "/a": [], "/a/b": ["file"]])
    }

    @Test func `the links of a mounted secret count, wherever they are`() throws {
        try makeFolder("secret/..2026")
        try Data("x".utf8).write(to: URL(filePath: "\(root)/secret/..2026/tls.crt"))
        try link("secret/..data", to: "..2026")
        try link("secret/tls.crt", to: "..data/tls.crt")
        try link("current", to: "\(root)/secret")
        #expect(
            trail("\(root)/current/tls.crt") == [
                "": ["current"], "/secret": ["tls.crt", "..data"], "/secret/..2026": ["tls.crt"],
            ])
    }

    @Test func `of what is missing the first missing name counts`() throws {
        try makeFolder("a")
        try link("a/dangling", to: "nothing/there")
        #expect(trail("\(root)/a/b/c/file", "\(root)/a/dangling") == ["": [], "/a": ["b", "dangling", "nothing"]])
    }

    @Test func `a file in the place of a folder counts, and a circle of links ends`() throws {
        try Data("x".utf8).write(to: URL(filePath: "\(root)/file"))
        try link("round", to: "round")
        #expect(trail("\(root)/file/below", "\(root)/round") == ["": ["file", "round"]])
    }
}

/// A folder of a test with all that is below it, removed with the object.
private final class Tree {
    let path: String

    init() throws {
        let folder = FileManager.default.temporaryDirectory.path
        path = try #require(FilePath.resolved(folder)) + "/tern-trail-\(UInt64.random(in: .min ... .max))"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
