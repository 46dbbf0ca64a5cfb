// SPDX-License-Identifier: Apache-2.0
import TernEngine
import TernFiles

extension RequestedURL {
    /// The URL of an argument.
    init(argument: String) throws { try self.init(Self.escaped(argument)) }

    /// The same URL, with an escape for each byte that is not UTF-8 (RFC 3986 §2.1).
    static func escaped(_ text: String) -> String {
        ByteText.replacing(in: text) { PercentEncoding.component([$0]) }
    }
}
