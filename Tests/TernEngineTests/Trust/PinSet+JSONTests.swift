// SPDX-License-Identifier: Apache-2.0
import TernTLS
import Testing

@testable import TernEngine

@Suite struct PinSetJSONTests {
    private static let pin = "sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="

    private func set(_ members: String) throws -> PinSet {
        var fields = try JSONFields(reading: Array("{\"x\": {\(members)}}".utf8))
        return try PinSet(fields.require("x"))
    }

    @Test func `what is left out is the stricter choice`() throws {
        let set = try set(#""hosts": ["a.test"], "pins": ["\#(Self.pin)"]"#)
        #expect(set.mode == .enforce)
        #expect(set.scope == .anyCertificate)
        #expect(set.expires == nil)
        #expect(set.backupPins.isEmpty && set.excludedHosts.isEmpty && set.reportURLs.isEmpty)
        #expect(set.pins.map(\.pin) == [Self.pin])
    }

    @Test(arguments: [
        (#""hosts": [], "pins": ["sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="]"#, "x.hosts"),
        (#""hosts": ["a.test"], "pins": []"#, "x.pins"), (#""hosts": ["a.test"]"#, "x.pins"),
        (#""pins": []"#, "x.hosts"),
    ])
    func `a set without hosts or without pins is refused`(members: String, field: String) throws {
        let error = try #require(throws: PolicyFileError.self) { try set(members) }
        #expect(error.field == field)
    }
}
