// SPDX-License-Identifier: Apache-2.0
import TernHTTP1

/// One challenge of a `WWW-Authenticate` or `Proxy-Authenticate` field (RFC 9110 §11.3).
package struct HTTPChallenge: Sendable, Hashable {
    /// The maximum length of a response's challenges that is read, in bytes, the maximum number of challenges, and that
    /// of the parameters of one: a reactor reads them.
    package static let (maximumLength, maximumCount, maximumParameterCount) = (8_192, 32, 32)

    /// The name of the scheme, in lower case.
    package let scheme: String
    /// The parameters in their order: names in lower case, values without quotes and escapes.
    package internal(set) var parameters: [Parameter] = []

    package struct Parameter: Sendable, Hashable {
        package let name: String
        /// The value: what is sent again has the bytes that were received.
        package let bytes: [UInt8]

        /// The value as text, as ``HeaderField/value``.
        package var value: String { FieldValue(bytes).text }
    }

    init(scheme: String) { self.scheme = scheme }

    /// The value of the first parameter of this name, in lower case, as text; nil if there is none.
    package subscript(_ name: String) -> String? { parameters.first { $0.name == name }?.value }

    /// The same as bytes.
    package func bytes(_ name: String) -> [UInt8]? { parameters.first { $0.name == name }?.bytes }

    /// The realm as text.
    package var realm: String? { self["realm"] }
}
