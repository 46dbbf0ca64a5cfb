// SPDX-License-Identifier: Apache-2.0

/// The protocol version of a message (RFC 9110 §2.5).
public struct HTTPVersion: Sendable, Hashable, CustomStringConvertible {
    /// The digit before the dot.
    public var major: Int { Int(majorDigit) }
    /// The digit after the dot.
    public var minor: Int { Int(minorDigit) }
    private let majorDigit: UInt8
    private let minorDigit: UInt8

    /// Creates a version from two digits (RFC 9112 §2.3); larger numbers are truncated to one digit.
    public init(major: Int, minor: Int) {
        majorDigit = UInt8(truncatingIfNeeded: major % 10)
        minorDigit = UInt8(truncatingIfNeeded: minor % 10)
    }

    init(minorDigit: UInt8) {
        majorDigit = 1
        self.minorDigit = minorDigit
    }

    /// The version as text, for example `HTTP/1.1`.
    public var description: String { "HTTP/\(major).\(minor)" }
}
