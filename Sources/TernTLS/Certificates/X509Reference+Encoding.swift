// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

/// DER in places where OpenSSL's parser is lenient and other parsers might read something else.
///
/// Safety: reads only; pointers into the certificate do not leave the expression they occur in.
extension X509Reference {
    /// Whether the bytes of an extension are exactly one value of its type.
    func isExtensionOneValue(_ index: Int, of kind: Int32) -> Bool {
        var elements = DERElements(unsafe Array(bytesOfExtension(index))[...])
        guard let value = elements.next(), elements.isAtEnd else { return false }
        return switch kind {
        case NID_subject_key_identifier: value.tag == 0x04
        case NID_key_usage: value.tag == 0x03 && Self.hasUnusedBitsZero(value.content)
        case NID_basic_constraints: value.tag == 0x30 && Self.beginsWithPlainBoolean(value.content)
        default: value.tag == 0x30
        }
    }

    /// X.690 §11.2.1, of the content of a BIT STRING.
    private static func hasUnusedBitsZero(_ content: ArraySlice<UInt8>) -> Bool {
        guard let unused = content.first, unused < 8, let last = content.dropFirst().last else { return false }
        return last & ((1 << unused) &- 1) == 0
    }

    /// X.690 §11.1: TRUE is all ones. FALSE, which §11.5 omits as the default, is written out by old tools.
    private static func beginsWithPlainBoolean(_ content: ArraySlice<UInt8>) -> Bool {
        var fields = DERElements(content)
        guard let first = fields.next(), first.tag == 0x01 else { return true }
        return first.content == [0xff] || first.content == [0]
    }

    /// Whether nsCertType has the bit for authorities of TLS servers, or is absent.
    var mayIssueByCertificateType: Bool {
        guard hasExtension(NID_netscape_cert_type) else { return true }
        var elements = DERElements(contentOfExtension(NID_netscape_cert_type)[...])
        guard let value = elements.next(), value.tag == 0x03, let bits = value.content.dropFirst().first else {
            return false
        }
        return Int32(bits) & NS_SSL_CA != 0
    }
}
