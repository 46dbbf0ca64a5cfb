// SPDX-License-Identifier: Apache-2.0

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
        package let value: String
    }

    init(scheme: String) { self.scheme = scheme }

    /// The value of the first parameter of this name, in lower case; nil if there is none.
    package subscript(_ name: String) -> String? { parameters.first { $0.name == name }?.value }

    package var realm: String? { self["realm"] }
}
