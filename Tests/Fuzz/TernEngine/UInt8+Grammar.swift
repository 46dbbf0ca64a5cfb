// SPDX-License-Identifier: Apache-2.0

// What the engine's parsers need of TernHTTP1, whose own names other sources of this module declare for themselves.
extension UInt8 {
    var isToken: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(self)
        }
    }

    var isBlank: Bool { self == 0x20 || self == 0x09 }
}
