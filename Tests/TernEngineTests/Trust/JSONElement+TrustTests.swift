// SPDX-License-Identifier: Apache-2.0
import TernTLS
import Testing

@testable import TernEngine

@Suite struct JSONElementTrustTests {
    private func element(_ json: String) throws -> JSONElement {
        var fields = try JSONFields(reading: Array("{\"x\": \(json)}".utf8))
        return try fields.require("x")
    }

    @Test(arguments: [
        (#"["http://a.test"]"#, true), (#"["HTTPS://a.test:8443/b"]"#, true), (#"["ftp://a.test"]"#, false),
        (#"["a.test"]"#, false), (#"["https://*.a.test"]"#, false), (#"["https://a.test:0"]"#, false),
        (#"["https:///x"]"#, false), ("[]", true),
    ])
    func `a URL to report to is one that a request can be sent to`(json: String, isValid: Bool) throws {
        let element = try element(json)
        #expect(((try? element.webURLs()) != nil) == isValid)
    }

    @Test(
        arguments: [
            (#""2030-01-01""#, 1_893_456_000), (#""2030-01-01T00:00:01Z""#, 1_893_456_001), (#""tomorrow""#, nil),
            (#""2030-13-01""#, nil),
        ] as [(String, Int64?)])
    func `a date is its first second`(json: String, time: Int64?) throws {
        let element = try element(json)
        #expect((try? element.time()) == time)
    }

    @Test func `an error names the element within its list`() throws {
        let hosts = try #require(throws: PolicyFileError.self) { try element(#"["a.test", "*"]"#).hostPatterns() }
        #expect(hosts.field == "x[1]")
        let pins = try #require(throws: PolicyFileError.self) { try element(#"["sha1/x"]"#).publicKeys() }
        #expect(pins.reason == .invalidPin(.unknownAlgorithm("sha1/x")))
    }
}
