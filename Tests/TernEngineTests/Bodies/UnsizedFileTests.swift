// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Testing

@testable import TernEngine

@Suite struct UnsizedFileTests {
    private func file(_ path: String) throws -> UnsizedFile? {
        try UnsizedFile(#require(try FileRange.File(path: path)))
    }

    @Test func `a file that is made when it is read is sent to its end`() throws {
        let source = try #require(try file("/proc/self/status"))
        var content = Data()
        while case .bytes(let chunk) = source.next(atMost: 100, wake: {}) {
            #expect(chunk.count <= 100)
            content += chunk
        }
        #expect(String(decoding: content, as: UTF8.self).contains("\nPid:"))
        guard case .end = source.next(atMost: 100, wake: {}) else {
            Issue.record("bytes after the end")
            return
        }
    }

    @Test func `an empty file and one that has a size are none`() throws {
        let folder = try TestFolder()
        try folder.write("", to: "empty")
        try folder.write("x", to: "sized")
        #expect(try file(folder.path + "/empty") == nil)
        #expect(try file(folder.path + "/sized") == nil)
    }
}
