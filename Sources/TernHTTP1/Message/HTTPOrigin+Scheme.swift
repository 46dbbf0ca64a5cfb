// SPDX-License-Identifier: Apache-2.0

extension HTTPOrigin {
    /// The two URI schemes an HTTP client dereferences (RFC 9110 §4.2).
    public enum Scheme: Sendable, Hashable {
        /// Without TLS.
        case http
        /// Over TLS.
        case https

        /// The port a URI of this scheme means when it names none.
        public var defaultPort: UInt16 {
            switch self {
            case .http: 80
            case .https: 443
            }
        }
    }
}
