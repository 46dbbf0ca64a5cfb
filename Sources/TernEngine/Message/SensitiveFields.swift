// SPDX-License-Identifier: Apache-2.0
package import TernHTTP1

/// Names of header fields whose values are secrets to you, such as `X-Api-Key`, in any spelling. Those that carry credentials by
/// their nature are always among them (``TernHTTP1/HTTPField/isSensitive``).
///
/// Descriptions, dumps and logs show such fields without their values, and redirects do not take them to another origin.
public struct SensitiveFields: Sendable, Hashable {
    /// In lower case.
    private var names: Set<String>

    /// These names, and the ones that are always sensitive.
    public init(_ names: some Sequence<String> = []) {
        self.names = Set(names.map { $0.lowercased() })
    }

    /// Adds a name.
    public mutating func insert(_ name: String) { names.insert(name.lowercased()) }

    /// The names of both.
    public func union(_ other: SensitiveFields) -> SensitiveFields {
        SensitiveFields(names.union(other.names))
    }

    /// Whether a field of this name is sensitive.
    public func contains(_ name: String) -> Bool {
        HTTPField.isSensitive(name) || !names.isEmpty && names.contains(name.lowercased())
    }

    /// `Name: value`, the value left out of a sensitive field.
    package func description(of field: HTTPField) -> String {
        contains(field.name) ? "\(field.name): \u{2026}" : field.description
    }
}

extension SensitiveFields: ExpressibleByArrayLiteral {
    /// These names, and the ones that are always sensitive.
    public init(arrayLiteral names: String...) { self.init(names) }
}
