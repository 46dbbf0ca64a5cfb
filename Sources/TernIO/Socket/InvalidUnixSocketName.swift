// SPDX-License-Identifier: Apache-2.0

/// Why a text is no name of a Unix domain socket.
public enum InvalidUnixSocketName: Error, Sendable, Hashable, CustomStringConvertible {
    /// It has no bytes.
    case empty
    /// It has more bytes in UTF-8 than the kernel has room for.
    case tooLong(bytes: Int, limit: Int)
    /// A path must not contain a NUL.
    case nulInPath

    /// Such as "the name has 120 bytes, 108 are possible".
    public var description: String {
        switch self {
        case .empty: "the name is empty"
        case .tooLong(let bytes, let limit): "the name has \(bytes) bytes, \(limit) are possible"
        case .nulInPath: "the path contains a NUL"
        }
    }
}
