// SPDX-License-Identifier: Apache-2.0
import TernEngine
import TernTLS
import TernTesting
import Testing

@testable import TernCLI

@Suite struct BatchVerdictTests {
    private func id(_ json: String) throws -> BatchVerdict.ID {
        var fields = try JSONFields(reading: Array("{\"id\": \(json)}".utf8))
        return try BatchVerdict.ID(fields.require("id"))
    }

    @Test(arguments: ["7", "-1.50e3", "\"a\"", #""a\"b""#, #""a\u2028b""#])
    func `an id is echoed as it was given`(json: String) throws { #expect(try id(json).json == json) }

    @Test(arguments: ["true", "[]", "{}"]) func `an id is a string or a number`(json: String) {
        #expect(throws: Malformed.self) { try id(json) }
    }

    @Test func `an invalid case is refused with its reason, on one line`() {
        let verdict = BatchVerdict(id: nil, Malformed(detail: "a\nb"))
        #expect(
            verdict.json == #"{"id":null,"verdict":"refuse","reason":"malformed-case","detail":"a\nb"}"#)
    }

    @Test func `a verdict has the rule and the sentence of its result`() throws {
        let trust = ServerTrust(sentChain: [], anchors: .only([]), time: 0)
        let result = ServerTrustPolicy.performDefaultEvaluation(validateHost: true).evaluate(trust, host: "a.test")
        #expect(
            try BatchVerdict(id: id("1"), result).json
                == #"{"id":1,"verdict":"refuse","reason":"no-certificate","detail":"the server presented no certificate"}"#
        )
    }
}
