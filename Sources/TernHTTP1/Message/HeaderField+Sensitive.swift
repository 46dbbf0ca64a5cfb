// SPDX-License-Identifier: Apache-2.0

extension HeaderField {
    /// Whether the field carries credentials: descriptions, logs and dumps show its name without its value, and a
    /// redirect to another origin drops it.
    ///
    /// Challenges (`WWW-Authenticate`) and what a server says of itself (`Authentication-Info`) are no credentials.
    public var isSensitive: Bool { Self.isSensitive(name) }

    /// Whether fields of this name carry credentials; case is ignored.
    public static func isSensitive(_ name: String) -> Bool {
        credentials.contains { $0.isFieldName(name) }
    }

    /// RFC 9110 §11.6.2, §11.7.2; RFC 6265 §4; RFC 2965 §3.2.2.
    private static let credentials = ["Authorization", "Proxy-Authorization", "Cookie", "Set-Cookie", "Set-Cookie2"]
}
