// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Testing

@testable import TernCLI

@Suite struct MethodChoiceTests {
    @Test(
        arguments: [
            (nil, [], "GET"), (nil, ["-X", "FOO"], "FOO"), (nil, ["-d", "x"], "POST"), (nil, ["-F", "a=b"], "POST"),
            (nil, ["-T", "x"], "PUT"), (nil, ["-I"], "HEAD"), (nil, ["-G", "-d", "x"], "GET"),
            (nil, ["-X", "PUT", "-d", "x"], "PUT"), ("POST", [], "POST"), ("POST", ["-T", "x"], "POST"),
            ("GET", ["-G", "-d", "x"], "GET"), ("HEAD", [], "HEAD"), ("HEAD", ["-I"], "HEAD"),
        ] as [(String?, [String], String)])
    func `the method is that of -X, of the command, or of the body`(
        command: String?, arguments: [String], method: String
    ) throws {
        let choice = try MethodChoice(command: command, ContentOptions.parse(arguments))
        #expect(choice.method == method)
        #expect(choice.showsHead == (method == "HEAD"))
    }

    @Test(
        arguments: [
            ("GET", ["-X", "POST"]), ("POST", ["-I"]), ("GET", ["-d", "x"]), ("HEAD", ["-F", "a=b"]),
            (nil, ["-I", "-X", "GET"]), (nil, ["-I", "-d", "x"]), (nil, ["-X", ""]),
        ] as [(String?, [String])])
    func `a command and options that disagree are refused`(command: String?, arguments: [String]) throws {
        let options = try ContentOptions.parse(arguments)
        #expect(throws: (any Error).self) { try MethodChoice(command: command, options) }
    }

    @Test func `HEAD by -X does not show the head`() throws {
        #expect(try !MethodChoice(command: nil, ContentOptions.parse(["-X", "HEAD"])).showsHead)
    }
}
