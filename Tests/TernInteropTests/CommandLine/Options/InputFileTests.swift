// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import TernCLI

@Suite struct InputFileTests {
    @Test func `a file is read as it is, and one that is missing is a failure that names the option`() throws {
        let folder = try TemporaryFolder()
        let bytes = Data([0, 10, 13, 255])
        #expect(try InputFile.read(folder.write(bytes, to: "file"), for: "-d") == bytes)
        let failure = try #require(throws: CommandFailure.self) { try InputFile.read("/nowhere/x", for: "-d") }
        #expect(failure.message == "-d: cannot read /nowhere/x: No such file or directory")
        #expect(failure.status == .unreadable)
        #expect(throws: CommandFailure.self) { try InputFile.read("/", for: "-d") }
    }

    @Test func `standard input has one reader`() throws {
        try InputFile.checkStandardInput(["-", "a", "a"])
        #expect(throws: (any Error).self) { try InputFile.checkStandardInput(["-", "a", "-"]) }
    }
}
