// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

extension URLRequest {
    /// The name and the password in the URL (RFC 3986 §3.2.1), which are sent only if the server requests them; nil for
    /// none.
    package var urlCredential: PasswordCredential? {
        guard let text = url.flatMap({ URIReference($0.absoluteString).userinfo }) else { return nil }
        let parts = text.utf8.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
        let words = parts.compactMap { PercentEncoding.decoded(Array($0)[...]) }
        guard words.count == parts.count, let user = words.first else { return nil }
        return PasswordCredential(user: user, password: words.count > 1 ? words[1] : [])
    }

    /// The same URL without a name and a password.
    package static func withoutCredential(_ url: String) -> String {
        URIReference(url).replacing(userinfo: nil).description
    }
}
