// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Testing

@testable import TernCLI

@Suite struct WriteOutTests {
    @Test func `a format is read as curl reads it`() throws {
        #expect(
            try WriteOut(#"a\n\t%%%{http_code}%header{X-Y}%{json}%{stderr}\q%x%{onerror}%"#).pieces == [
                .text("a\n\t%"), .variable(.httpCode), .field("X-Y"), .json, .destination(2), .text(#"\q%x"#), .onError,
                .text("%"),
            ])
        #expect(try WriteOut("").pieces.isEmpty)
    }

    @Test("an unknown variable is reported", arguments: ["%{nope}", "%{", "%{http_code", "%header{x"])
    func refused(format: String) {
        #expect(throws: ValidationError.self) { try WriteOut(format) }
    }

    @Test func `a file holds a format`() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("%{url}", to: "format")
        #expect(try WriteOut(argument: "@" + file).pieces == [.variable(.url)])
        #expect(throws: CommandFailure.self) { try WriteOut(argument: "@/nowhere/format") }
    }
}
