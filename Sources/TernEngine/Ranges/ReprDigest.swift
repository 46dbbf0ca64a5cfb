// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import TernTLS

/// The value of a `Repr-Digest` field (RFC 9530 §3): a dictionary of byte sequences (RFC 9651 §3.2), such as
/// `sha-256=:AEGPTgUMw5e96wxZuDtpfm23RBU3nFwtgY5fw4NYORo=:, unixsum=:…:`.
enum ReprDigest {
    /// The strongest supported digest; nil if there is none, or the field is malformed.
    static func strongest(in values: [[UInt8]]) -> (algorithm: DigestAlgorithm, value: [UInt8])? {
        var found: [DigestAlgorithm: [UInt8]] = [:]
        var isValid = true
        let isWhole = ListRules.members.read(values) { member in
            if isValid { isValid = take(member.copy(member.indices), &found) }
        }
        guard isWhole, isValid else { return nil }
        for algorithm in DigestAlgorithm.allCases.reversed() {
            if let value = found[algorithm] { return (algorithm, value) }
        }
        return nil
    }

    /// Whether the member is valid. One of an unsupported algorithm is passed over.
    private static func take(_ member: [UInt8], _ found: inout [DigestAlgorithm: [UInt8]]) -> Bool {
        let name = member.prefix { $0 != UInt8(ascii: "=") }
        guard name.count < member.count, let sequence = sequence(member[(name.count + 1)...]) else { return false }
        guard let algorithm = DigestAlgorithm(rawValue: String(decoding: name, as: UTF8.self)) else { return true }
        guard sequence.count == algorithm.length else { return false }
        // Of several with one name the last counts (RFC 9651 §4.2.2).
        found[algorithm] = sequence
        return true
    }

    /// The text between two colons; parameters may follow.
    private static func sequence(_ bytes: ArraySlice<UInt8>) -> [UInt8]? {
        guard bytes.first == UInt8(ascii: ":") else { return nil }
        let inner = bytes.dropFirst().prefix { $0 != UInt8(ascii: ":") }
        let rest = bytes.dropFirst(inner.count + 1)
        guard rest.first == UInt8(ascii: ":") else { return nil }
        let behind = rest.dropFirst().drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        guard behind.isEmpty || behind.first == UInt8(ascii: ";") else { return nil }
        return Base64.decode(Array(inner))
    }
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
