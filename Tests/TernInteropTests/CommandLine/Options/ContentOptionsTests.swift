// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernCLI

@Suite struct ContentOptionsTests {
    private func options(_ arguments: String...) throws -> ContentOptions { try ContentOptions.parse(arguments) }

    @Test(
        arguments: [
            (["-d", "a"], true), (["-T", "x"], true), (["-F", "a=b"], true), (["--form-string", "a=b"], true),
            (["-d", "a", "-G"], false), (["-I"], false), (["-X", "PUT"], false), ([], false),
        ] as [([String], Bool)])
    func `data, a file and a form are a body, unless the data go into the URL`(arguments: [String], hasBody: Bool)
        throws
    {
        #expect(try ContentOptions.parse(arguments).hasBody == hasBody)
    }

    @Test(arguments: [
        ["-d", "a", "-T", "x"], ["-F", "a=b", "-d", "c"], ["-F", "a=b", "-T", "x"], ["-G", "-F", "a=b"],
        ["--form-string", "a=b", "-d", "c"],
    ])
    func `two bodies are refused`(arguments: [String]) {
        #expect(throws: (any Error).self) { try ContentOptions.parse(arguments) }
    }

    @Test func `all files that are read are known, of whatever option`() throws {
        #expect(try options("-d", "@a", "--data-raw", "@b", "--data-binary", "@-").inputs == ["a", "-"])
        #expect(try options("-F", "x=@c", "-F", "y=<d", "-F", "z=e").inputs == ["c", "d"])
        #expect(try options("-T", "f").inputs == ["f"])
    }

    @Test func `a value may look like an option`() throws {
        #expect(try options("-d", "-X").parts.count == 1)
        #expect(try options("-F", "-a=b").form.map(\.name) == ["-a"])
    }
}

@Suite struct MethodChoiceTests {
    @Test(
        arguments: [
            (nil, [], "GET"), (nil, ["-X", "FOO"], "FOO"), (nil, ["-d", "x"], "POST"), (nil, ["-F", "a=b"], "POST"),
            (nil, ["-T", "x"], "PUT"), (nil, ["-I"], "HEAD"), (nil, ["-G", "-d", "x"], "GET"),
            (nil, ["-X", "PUT", "-d", "x"], "PUT"), ("POST", [], "POST"), ("POST", ["-T", "x"], "POST"),
            ("GET", ["-G", "-d", "x"], "GET"), ("HEAD", [], "HEAD"),
        ] as [(String?, [String], String)])
    func `the method is that of -X, of the command, or of the body`(
        command: String?, arguments: [String], method: String
    ) throws {
        let choice = try MethodChoice(command: command, ContentOptions.parse(arguments))
        #expect(choice.method(hasUpload: arguments.contains("-T")) == method)
    }

    @Test(
        arguments: [
            (nil, ["-I", "-d", "x"]), (nil, ["-I", "-T", "x"]),
        ] as [(String?, [String])])
    func `options that disagree are refused`(command: String?, arguments: [String]) throws {
        let options = try ContentOptions.parse(arguments)
        #expect(throws: (any Error).self) { try MethodChoice(command: command, options) }
    }
}
