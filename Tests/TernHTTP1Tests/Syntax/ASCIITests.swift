// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernHTTP1

@Suite struct UInt8ASCIITests {
    @Test func `a token is made of the characters of RFC 9110`() {
        let allowed = Set("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)
        for byte in UInt8.min...UInt8.max { #expect(byte.isToken == allowed.contains(byte), "\(byte)") }
    }

    @Test func `classes end where ASCII has them end`() {
        for byte in UInt8.min...UInt8.max {
            #expect(byte.isVisible == (0x21...0x7E).contains(byte))
            #expect(byte.isDigit == (0x30...0x39).contains(byte))
            #expect(byte.isBlank == (byte == 0x20 || byte == 0x09))
            #expect(byte.isLetter == ((0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)))
        }
    }

    @Test func `only capitals change in lower case`() {
        for byte in UInt8.min...UInt8.max {
            #expect(byte.lowercased == ((0x41...0x5A).contains(byte) ? byte + 0x20 : byte))
        }
    }

    @Test func `hexadecimal digits have their value, other bytes sixteen or more`() {
        for byte in UInt8.min...UInt8.max {
            let value = Character(UnicodeScalar(byte)).isASCII ? Int(String(UnicodeScalar(byte)), radix: 16) : nil
            #expect(value.map { UInt8($0) == byte.hexadecimalDigit } ?? (byte.hexadecimalDigit >= 16), "\(byte)")
        }
    }
}

@Suite struct StringASCIITests {
    @Test func `only ASCII letters change in lower case`() {
        #expect("Content-TYPE".asciiLowercased == "content-type")
        #expect("ÄÖ\u{212A}".asciiLowercased == "ÄÖ\u{212A}")
        #expect("a-1".asciiLowercased == "a-1")
    }
}
