// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Tern

@Suite struct URLEncodingSpellingTests {
    @Test func `keys of arrays have brackets or none`() {
        #expect(URLEncoding.ArrayEncoding.brackets.encode(key: "a") == "a[]")
        #expect(URLEncoding.ArrayEncoding.noBrackets.encode(key: "a") == "a")
    }

    @Test func `booleans are numbers or words`() {
        #expect([true, false].map { URLEncoding.BoolEncoding.numeric.encode(value: $0) } == ["1", "0"])
        #expect([true, false].map { URLEncoding.BoolEncoding.literal.encode(value: $0) } == ["true", "false"])
    }
}
