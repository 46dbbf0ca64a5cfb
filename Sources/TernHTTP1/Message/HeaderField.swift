// SPDX-License-Identifier: Apache-2.0

/// One header or trailer field: a name in its original case, and a value without surrounding whitespace.
///
/// A value is bytes (RFC 9110 §5.5). A received field that is sent again has the bytes that were received; ``value`` is
/// their text.
public struct HeaderField: Sendable, Hashable {
    /// The name in its original case; lookups ignore case (RFC 9110 §5.1).
    public var name: String
    // The encoder reads it in place, so that it retains no string.
    var content: FieldValue

    /// Creates a field; nothing is trimmed or checked.
    public init(name: String, value: String) {
        self.name = name
        content = FieldValue(value)
    }

    /// Creates a field whose value has these bytes; nothing is trimmed or checked.
    public init(name: String, bytes: [UInt8]) {
        self.name = name
        content = FieldValue(bytes)
    }

    init(name: String, content: FieldValue) {
        self.name = name
        self.content = content
    }

    /// The value as text: UTF-8 where the bytes are UTF-8, else ISO-8859-1. A new text is sent as UTF-8. Not validated
    /// here: encoding refuses what RFC 9110 §5.5 forbids.
    public var value: String {
        get { content.text }
        set { content = FieldValue(newValue) }
    }

    /// The bytes of the value, as received and as sent.
    public var bytes: [UInt8] { content.bytes }
}

extension HeaderField: CustomStringConvertible, CustomReflectable {
    /// `Name: value`, without the value if the field carries credentials, and without the name and the password of a URL
    /// in it, because descriptions end up in logs.
    public var description: String {
        isSensitive ? "\(name): \u{2026}" : "\(name): \(ShownText.withoutUserinfo(value))"
    }

    /// The same for a dump.
    public var customMirror: Mirror { Mirror(self, children: ["field": description]) }
}

extension HeaderField {
    /// Whether the field carries credentials: descriptions, logs and dumps show its name without its value, and a
    /// redirect to another origin drops it.
    ///
    /// Challenges (`WWW-Authenticate`) and what a server says of itself (`Authentication-Info`) are no credentials.
    public var isSensitive: Bool { Self.isSensitive(name) }

    /// Whether fields of this name carry credentials; case is ignored.
    public static func isSensitive(_ name: String) -> Bool {
        // RFC 9110 §11.6.2, §11.7.2; RFC 6265 §4; RFC 2965 §3.2.2; RFC 9421 §4; AWS Signature Version 4. By length, because
        // most names have another.
        switch name.utf8.count {
        case 6: name.isFieldName("Cookie")
        case 9: name.isFieldName("Signature")
        case 10: name.isFieldName("Set-Cookie")
        case 11: name.isFieldName("Set-Cookie2")
        case 13: name.isFieldName("Authorization")
        case 15: name.isFieldName("Signature-Input")
        case 19: name.isFieldName("Proxy-Authorization")
        case 20: name.isFieldName("X-Amz-Security-Token")
        default: false
        }
    }
}
