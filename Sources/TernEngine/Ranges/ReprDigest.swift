// SPDX-License-Identifier: Apache-2.0
import TernTLS

/// The value of a `Repr-Digest` field (RFC 9530 §3): a dictionary of byte sequences (RFC 9651 §3.2), such as
/// `sha-256=:AEGPTgUMw5e96wxZuDtpfm23RBU3nFwtgY5fw4NYORo=:, unixsum=:…:`.
enum ReprDigest {
    /// The strongest supported digest; nil if there is none, or the field is malformed.
    static func strongest(in values: [String]) -> (algorithm: DigestAlgorithm, value: [UInt8])? {
        var found: [DigestAlgorithm: [UInt8]] = [:]
        for member in values.flatMap({ $0.split(separator: ",", omittingEmptySubsequences: false) }) {
            let text = member.drop(while: isBlank)
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let sequence = sequence(parts[1]) else { return nil }
            guard let algorithm = DigestAlgorithm(rawValue: String(parts[0])) else { continue }
            guard sequence.count == algorithm.length else { return nil }
            // Of several with one name the last counts (RFC 9651 §4.2.2).
            found[algorithm] = sequence
        }
        for algorithm in DigestAlgorithm.allCases.reversed() {
            if let value = found[algorithm] { return (algorithm, value) }
        }
        return nil
    }

    /// The text between two colons; parameters may follow.
    private static func sequence(_ text: Substring) -> [UInt8]? {
        let bytes = text.utf8
        guard bytes.first == UInt8(ascii: ":") else { return nil }
        let inner = bytes.dropFirst().prefix { $0 != UInt8(ascii: ":") }
        let rest = bytes.dropFirst(inner.count + 1)
        guard rest.first == UInt8(ascii: ":") else { return nil }
        let behind = rest.dropFirst().drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        guard behind.isEmpty || behind.first == UInt8(ascii: ";") else { return nil }
        return Base64.decode(Array(inner))
    }

    private static func isBlank(_ character: Character) -> Bool { character == " " || character == "\t" }
}

/// A hash by which content can be verified, with its name in `Repr-Digest` (RFC 9530 §5).
public enum DigestAlgorithm: String, Sendable, Hashable, CaseIterable {
    /// SHA-256
    case sha256 = "sha-256"
    /// SHA-512
    case sha512 = "sha-512"

    /// The length of a digest in bytes.
    public var length: Int {
        switch self {
        case .sha256: 32
        case .sha512: 64
        }
    }
}
