// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
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

    @Test func `a method, HEAD and a body make it more than a GET`() throws {
        #expect(try !options().givesMethod)
        #expect(try !options("-d", "a", "-G").givesMethod)
        #expect(try options("-X", "GET").givesMethod)
        #expect(try options("-I").givesMethod)
        #expect(try options("-d", "a").givesMethod)
    }

    @Test(arguments: [
        ["-d", "a", "-T", "x"], ["-F", "a=b", "-d", "c"], ["-F", "a=b", "-T", "x"], ["-G"], ["-T", ""],
        ["--form-string", "a=b", "-d", "c"],
    ])
    func `two bodies, and a query of nothing, are refused`(arguments: [String]) {
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
