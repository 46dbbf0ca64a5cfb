// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

/// A name of a certificate (RFC 5280 §4.2.1.6). For display: OpenSSL compares names.
public enum SubjectAlternativeName: Sendable, Hashable {
    /// As written, a wildcard included; bytes that are invalid in a host name appear as `\xx`.
    case dns(String)
    /// 4 or 16 bytes; other counts occur in broken certificates.
    case ip([UInt8])
    /// A URI; bytes that are not visible ASCII appear as `\xx`.
    case uri(String)
    /// A mail address, escaped like a URI.
    case email(String)
    /// A kind that TLS does not use, by its tag.
    case other(Int32)

    @unsafe init(_ name: UnsafeMutablePointer<GENERAL_NAME>) {
        var kind: Int32 = 0
        let value = unsafe GENERAL_NAME_get0_value(name, &kind)
        let string = unsafe value?.assumingMemoryBound(to: ASN1_STRING.self)
        self =
            switch kind {
            case GEN_DNS: .dns(unsafe Self.text(string))
            case GEN_URI: .uri(unsafe Self.text(string))
            case GEN_EMAIL: .email(unsafe Self.text(string))
            case GEN_IPADD: .ip(unsafe Self.bytes(string))
            default: .other(kind)
            }
    }

    @unsafe private static func bytes(_ string: UnsafeMutablePointer<ASN1_STRING>?) -> [UInt8] {
        let count = unsafe ASN1_STRING_length(string)
        return unsafe Array(UnsafeBufferPointer(start: ASN1_STRING_get0_data(string), count: Int(max(0, count))))
    }

    @unsafe private static func text(_ string: UnsafeMutablePointer<ASN1_STRING>?) -> String {
        let bytes = unsafe bytes(string)
        if bytes.allSatisfy({ (0x21...0x7e).contains($0) }) { return String(decoding: bytes, as: UTF8.self) }
        return bytes.map { byte in
            (0x21...0x7e).contains(byte) ? String(UnicodeScalar(byte)) : "\\" + hexadecimal(byte)
        }.joined()
    }
}

extension SubjectAlternativeName: CustomStringConvertible {
    /// `DNS:example.com`, `IP:127.0.0.1`.
    public var description: String {
        switch self {
        case .dns(let name): "DNS:" + name
        case .ip(let bytes) where bytes.count == 4: "IP:" + bytes.map(String.init).joined(separator: ".")
        case .ip(let bytes): "IP:" + Self.groups(bytes)
        case .uri(let uri): "URI:" + uri
        case .email(let address): "email:" + address
        case .other(let tag): "other:\(tag)"
        }
    }

    /// Two bytes a group, as in IPv6, without the `::` shorthand.
    private static func groups(_ bytes: [UInt8]) -> String {
        stride(from: 0, to: bytes.count, by: 2).map { start in
            let group = bytes[start..<min(start + 2, bytes.count)].reduce(0) { $0 << 8 | UInt16($1) }
            return String(group, radix: 16)
        }.joined(separator: ":")
    }
}

package func hexadecimal(_ byte: UInt8) -> String { (byte < 16 ? "0" : "") + String(byte, radix: 16) }
