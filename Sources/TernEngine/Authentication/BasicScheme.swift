// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// HTTP Basic authentication (RFC 7617).
package enum BasicScheme {
    /// The value of an `Authorization` field; nil for a name with a colon, which the scheme cannot express, and for
    /// control characters (§2).
    package static func authorization(_ credential: PasswordCredential) -> String? {
        let bytes = joined(credential)
        guard !credential.userBytes.contains(UInt8(ascii: ":")), bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            return nil
        }
        return authorization(bytes)
    }

    /// The same, unchecked.
    package static func uncheckedAuthorization(_ credential: PasswordCredential) -> String {
        authorization(joined(credential))
    }

    /// The same for a name and a password with a colon between them, unchecked.
    package static func authorization(_ text: String) -> String { authorization(Array(text.utf8)) }

    /// The same for a name and a password with a colon between them, unchecked.
    package static func authorization(_ bytes: [UInt8]) -> String { "Basic " + Data(bytes).base64EncodedString() }

    private static func joined(_ credential: PasswordCredential) -> [UInt8] {
        credential.userBytes + [UInt8(ascii: ":")] + credential.passwordBytes
    }
}
