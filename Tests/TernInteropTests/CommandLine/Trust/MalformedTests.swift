// SPDX-License-Identifier: Apache-2.0
import TernEngine
import TernTLS
import Testing

@testable import TernCLI

@Suite struct MalformedTests {
    private func malformed(_ name: String, _ json: String) throws -> Malformed {
        var fields = try JSONFields(reading: Array("{\"\(name)\": \(json)}".utf8))
        let element = try fields.require(name)
        return Malformed(try #require(throws: PolicyFileError.self) { try element.string() })
    }

    @Test func `the word depends on the field, and the detail names it`() throws {
        let host = try malformed("host", "7")
        #expect(host.reason == "malformed-case")
        #expect(host.detail.hasPrefix("host: "))
        #expect(try malformed("policy", "7").reason == "malformed-policy")
        #expect(Malformed.tooLong(limit: 5).reason == "line-too-long")
        #expect(Malformed.tooLong(limit: 5).detail == "the line is longer than 5 bytes")
    }

    @Test func `a broken certificate is one wherever it is`() throws {
        var fields = try JSONFields(reading: Array("{\"policy\": \"no PEM\"}".utf8))
        let element = try fields.require("policy")
        let error = try #require(throws: PolicyFileError.self) { try element.pemCertificates() }
        #expect(Malformed(error).reason == "malformed-certificate")
    }
}
