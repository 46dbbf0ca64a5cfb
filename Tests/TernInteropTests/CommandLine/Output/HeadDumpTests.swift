// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import TernCLI

@Suite struct HeadDumpTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.url.appending(path: "heads").path
    }

    @Test func `the file is replaced when all heads have arrived, and not before`() throws {
        try folder.write("before", to: "heads")
        let dump = try HeadDump(path: path)
        try dump.write(Data("one,".utf8))
        try dump.write(Data("two".utf8))
        #expect(FileManager.default.contents(atPath: path) == Data("before".utf8))
        try dump.finish()
        #expect(FileManager.default.contents(atPath: path) == Data("one,two".utf8))
    }

    @Test func `without a head there is no file`() throws {
        try HeadDump(path: path).finish()
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func `a dash is standard output`() throws {
        #expect(try HeadDump(path: "-").isStandardOutput)
        #expect(try !HeadDump(path: path).isStandardOutput)
    }
}
