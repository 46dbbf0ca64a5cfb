// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestProofs
import Testing

@testable import Tern

@Suite struct FileMoveTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func `a file is moved where there is none`() throws {
        let (source, target) = (try folder.file("a", "new"), try folder.file("b"))
        try FileMove(from: source, to: target).perform([])
        #expect(target.text == "new" && folder.names == ["b"])
    }

    @Test(.proves("4.13a")) func `a file that is there stays, unless it may be removed`() throws {
        let (source, target) = (try folder.file("a", "new"), try folder.file("b", "old"))
        let error = #expect(throws: CocoaError.self) { try FileMove(from: source, to: target).perform([]) }
        #expect(error?.code == .fileWriteFileExists && target.text == "old" && source.text == "new")
        try FileMove(from: source, to: target).perform(.removePreviousFile)
        #expect(target.text == "new" && folder.names == ["b"])
    }

    @Test(.proves("4.13b")) func `missing folders are created only on request`() throws {
        let (source, target) = (try folder.file("a", "new"), try folder.file("x/y/b"))
        let error = #expect(throws: CocoaError.self) {
            try FileMove(from: source, to: target).perform(.removePreviousFile)
        }
        #expect(error?.code == .fileNoSuchFile && source.text == "new")
        try FileMove(from: source, to: target).perform(.createIntermediateDirectories)
        #expect(target.text == "new")
    }

    @Test(.proves("4.13c")) func `a folder is never replaced`() throws {
        let (source, target) = (try folder.file("a", "new"), try folder.file("b"))
        try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
        #expect(throws: CocoaError.self) { try FileMove(from: source, to: target).perform(.removePreviousFile) }
        #expect(source.text == "new" && folder.names == ["a", "b"])
    }

    @Test(.proves("4.13d")) func `a file on another disk takes the place of the old one whole`() throws {
        // Shared memory is a file system of its own.
        let target = URL(fileURLWithPath: "/dev/shm/tern-\(UUID())")
        defer { try? FileManager.default.removeItem(at: target) }
        try FileMove(from: try folder.file("a", "first"), to: target).perform(.removePreviousFile)
        #expect(target.text == "first")
        try FileMove(from: try folder.file("a", "second"), to: target).perform(.removePreviousFile)
        #expect(target.text == "second" && folder.names.isEmpty)
    }

    @Test func `the file has the permissions of a new file, or of the one that it replaces`() throws {
        let files = FileManager.default
        let mode = { (file: URL) in try files.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int }
        let (plain, target) = (try folder.file("plain"), try folder.file("b"))
        let descriptor = unsafe open(plain.path, O_WRONLY | O_CREAT, 0o666)
        close(descriptor)
        for replaced in [nil, 0o640] {
            if let replaced { try files.setAttributes([.posixPermissions: replaced], ofItemAtPath: target.path) }
            let source = try folder.file("a", "new")
            try files.setAttributes([.posixPermissions: 0o600], ofItemAtPath: source.path)
            try FileMove(from: source, to: target).perform(.removePreviousFile)
            #expect(try mode(target) == replaced ?? mode(plain))
        }
    }

    @Test func `where it is already it stays`() throws {
        let source = try folder.file("a", "new")
        try FileMove(from: source, to: source).perform(.removePreviousFile)
        #expect(source.text == "new")
    }

    @Test func `a place that is none is refused`() throws {
        let (source, target) = (try folder.file("a", "new"), try #require(URL(string: "http://x/y")))
        #expect(throws: (any Error).self) { try FileMove(from: source, to: target).perform(.removePreviousFile) }
        #expect(source.text == "new")
    }
}
