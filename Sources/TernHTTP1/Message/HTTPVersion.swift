// SPDX-License-Identifier: Apache-2.0

/// The protocol version of a message (RFC 9110 §2.5).
public struct HTTPVersion: Sendable, Hashable, CustomStringConvertible {
    public let major: Int
    public let minor: Int

    public init(major: Int, minor: Int) {
        self.major = major
        self.minor = minor
    }

    public var description: String { "HTTP/\(major).\(minor)" }
}
