// SPDX-License-Identifier: Apache-2.0

/// One header or trailer field: a name in its original case, and a value without surrounding whitespace.
public struct HeaderField: Sendable, Hashable {
    /// The name in its original case; lookups ignore case (RFC 9110 §5.1).
    public var name: String
    /// The value. Not validated here: encoding refuses what RFC 9110 §5.5 forbids.
    public var value: String

    /// Creates a field; nothing is trimmed or checked.
    public init(name: String, value: String) {
        self.name = name
        self.value = value
    }
}

extension HeaderField: CustomStringConvertible, CustomReflectable {
    /// `Name: value`, without the value if the field carries credentials, because descriptions end up in logs.
    public var description: String {
        isSensitive ? "\(name): \u{2026}" : "\(name): \(value)"
    }

    /// The same for a dump.
    public var customMirror: Mirror { Mirror(self, children: ["field": description]) }
}
