// SPDX-License-Identifier: Apache-2.0

/// One header or trailer field: a name as it was spelled, and a value without surrounding whitespace.
public struct HeaderField: Sendable, Hashable {
    /// The name as spelled; fields are looked up without regard to case (RFC 9110 §5.1).
    public var name: String
    /// The value. Not validated here: encoding refuses what RFC 9110 §5.5 forbids.
    public var value: String

    /// A field as it is; nothing is trimmed or checked.
    public init(name: String, value: String) {
        self.name = name
        self.value = value
    }
}

extension HeaderField: CustomStringConvertible, CustomReflectable {
    /// `Name: value`. The value of a field that carries credentials is left out: descriptions end up in logs.
    public var description: String {
        isSensitive ? "\(name): \u{2026}" : "\(name): \(value)"
    }

    /// The same in a dump.
    public var customMirror: Mirror { Mirror(self, children: ["field": description]) }
}
