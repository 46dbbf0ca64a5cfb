// SPDX-License-Identifier: Apache-2.0

/// Why a text is not a pin.
public enum PinError: Error, Sendable, Hashable {
    /// The text does not begin with `sha256/`.
    case unknownAlgorithm(String)
    /// The rest is not padded, canonical base64.
    case invalidBase64(String)
    /// The hash does not have 32 bytes.
    case wrongLength(Int)
}

extension PinError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unknownAlgorithm(let pin): "the pin \"\(pin)\" does not begin with \"sha256/\""
        case .invalidBase64(let text): "\"\(text)\" is not padded base64"
        case .wrongLength(let count): "the pin has \(count) bytes where SHA-256 has 32"
        }
    }
}
