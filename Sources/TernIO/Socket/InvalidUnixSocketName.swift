// SPDX-License-Identifier: Apache-2.0

/// Why a text is not a valid name of a Unix domain socket.
public enum InvalidUnixSocketName: Error, Sendable, Hashable, CustomStringConvertible {
    /// The name is empty.
    case empty
    /// Its UTF-8 form is longer than the kernel allows.
    case tooLong(bytes: Int, limit: Int)
    /// A path must not contain a NUL.
    case nulInPath

    /// For example "the name has 120 bytes, the maximum is 108".
    public var description: String {
        switch self {
        case .empty: "the name is empty"
        case .tooLong(let bytes, let limit): "the name has \(bytes) bytes, the maximum is \(limit)"
        case .nulInPath: "the path contains a NUL"
        }
    }
}
