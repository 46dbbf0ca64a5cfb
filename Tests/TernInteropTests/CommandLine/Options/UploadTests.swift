// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import TernCLI

@Suite struct UploadTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func `the length of a file is known, that of standard input and of a device is not`() throws {
        let path = try folder.write("12345", to: "file")
        #expect(try Upload(path: path, option: "-T").length == 5)
        #expect(try Upload(path: path, option: "-T", isChunked: true).length == nil)
        #expect(try Upload(path: "/dev/null", option: "-T").length == nil)
        #expect(try Upload(path: "-", option: "-T").length == nil)
    }

    @Test(arguments: [("/nowhere/x", "-T: cannot read /nowhere/x"), ("/etc", "-T: /etc is a folder")])
    func `what cannot be sent is named with its option`(path: String, message: String) throws {
        let failure = try #require(throws: CommandFailure.self) { try Upload(path: path, option: "-T") }
        #expect(failure.message == message)
        #expect(failure.status == .unreadable)
    }
}
