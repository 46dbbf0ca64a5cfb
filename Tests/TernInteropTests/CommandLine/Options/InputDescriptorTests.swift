// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import Testing

@testable import TernCLI

@Suite struct InputDescriptorTests {
    @Test func `a file is read in chunks to its end`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("abcde", to: "file")
        let input = InputDescriptor()
        var chunks: [String] = []
        while let chunk = try input.piece(of: path, 2) { chunks.append(String(decoding: chunk, as: UTF8.self)) }
        #expect(chunks == ["ab", "cd", "e"])
        #expect(try input.piece(of: path, 2) == nil)
    }

    @Test(arguments: [("/nowhere/x", ENOENT), ("/", EISDIR)])
    func `what cannot be read is named with the system's reason`(path: String, number: Int32) throws {
        let error = try #require(throws: InputError.self) { try InputDescriptor().piece(of: path, 10) }
        #expect(error.number == number)
        #expect(error.description.hasPrefix("cannot read \(path): "))
    }
}
