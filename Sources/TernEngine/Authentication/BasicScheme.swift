// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// HTTP Basic authentication (RFC 7617).
package enum BasicScheme {
    /// The value of an `Authorization` field, in UTF-8; nil for a name with a colon, which the scheme cannot express,
    /// and for control characters (§2).
    package static func authorization(_ credential: PasswordCredential) -> String? {
        let text = "\(credential.user):\(credential.password)"
        guard !credential.user.contains(":"),
            text.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
        else { return nil }
        return authorization(text)
    }

    /// The same for a name and a password with a colon between them, unchecked.
    package static func authorization(_ text: String) -> String { authorization(Array(text.utf8)) }

    /// The same for a name and a password with a colon between them, unchecked.
    package static func authorization(_ bytes: [UInt8]) -> String { "Basic " + Data(bytes).base64EncodedString() }
}
