// SPDX-License-Identifier: Apache-2.0

/// Header or trailer fields in order, with repeats and the original case of names; lookup ignores case (RFC 9110 §5.1).
///
/// A list rather than a dictionary: messages have few fields, so a linear search is faster than hashing, and the order
/// of equal names matters (RFC 9110 §5.3).
public struct HeaderFields: Sendable, Hashable {
    // Read directly by the encoder, which accesses every string several times and must not retain it.
    private(set) var storage: [HeaderField]

    /// No fields.
    public init() {
        storage = []
    }

    /// Creates a list from the fields of a sequence, in its order and with its repeats.
    public init(_ fields: some Sequence<HeaderField>) {
        storage = Array(fields)
    }

    /// The values of `name` joined with ", ", as RFC 9110 §5.3 allows, or `nil` without such a field.
    ///
    /// `Set-Cookie` must not be joined (RFC 9110 §5.3): the getter returns its first value, ``values(for:)`` all. The
    /// setter replaces every field of the name, at the first one's position; `nil` removes them.
    public subscript(name: String) -> String? {
        get {
            guard let first = storage.firstIndex(where: { $0.name.isFieldName(name) }) else { return nil }
            var value = storage[first].value
            if name.isFieldName("Set-Cookie") { return value }
            for field in storage[(first + 1)...] where field.name.isFieldName(name) {
                value += ", "
                value += field.value
            }
            return value
        }
        set {
            guard let newValue else { return removeAll(named: name) }
            replace(with: HeaderField(name: name, value: newValue))
        }
    }

    /// Replaces every field of the name, with the spelling of the first; `nil` removes them.
    package mutating func setValue(_ value: String?, for name: String) {
        let known = storage.first { $0.name.isFieldName(name) }
        self[known?.name ?? name] = value
    }

    /// Adds a value to the field of the name, behind a comma if it has one.
    package mutating func addValue(_ value: String, for name: String) {
        setValue(self[name].map { "\($0),\(value)" } ?? value, for: name)
    }

    /// Replaces every field of this field's name, at the first one's position; adds it if there is none.
    public mutating func replace(with field: HeaderField) {
        guard let first = storage.firstIndex(where: { $0.name.isFieldName(field.name) }) else {
            return append(field)
        }
        let earlier = storage[..<first]
        let later = storage[(first + 1)...].filter { !$0.name.isFieldName(field.name) }
        storage = earlier + [field] + later
    }

    /// Every value of `name`, in order.
    public func values(for name: String) -> [String] {
        storage.compactMap { $0.name.isFieldName(name) ? $0.value : nil }
    }

    /// The name of a field, without a copy of its value.
    package func name(at index: Int) -> String { storage[index].name }

    /// Whether a field of this name is present.
    public func contains(_ name: String) -> Bool {
        storage.contains(name)
    }

    /// These fields, and after them those of the others whose names they lack; nil if they lack none.
    package func completed(by others: HeaderFields) -> HeaderFields? {
        if isEmpty { return others.isEmpty ? nil : others }
        var missing: [HeaderField] = []
        for index in others.storage.indices where !storage.contains(others.storage[index].name) {
            missing.append(others.storage[index])
        }
        return missing.isEmpty ? nil : HeaderFields(storage + missing)
    }

    /// The lengths of the names: for a reader that looks for many.
    package var nameLengths: NameLengths {
        var lengths = NameLengths()
        for index in storage.indices { lengths.insert(storage[index].name) }
        return lengths
    }

    /// Adds a field after the others, repeats included.
    public mutating func append(_ name: String, _ value: String) {
        storage.append(HeaderField(name: name, value: value))
    }

    /// Adds a field after the others, repeats included.
    public mutating func append(_ field: HeaderField) {
        storage.append(field)
    }

    /// Removes every field of this name.
    public mutating func removeAll(named name: String) {
        storage.removeAll { $0.name.isFieldName(name) }
    }

    /// Reserves storage for `capacity` fields.
    public mutating func reserveCapacity(_ capacity: Int) {
        storage.reserveCapacity(capacity)
    }
}

/// The lengths of some names, as bits. Few names have the same length, so that most lookups end here.
package struct NameLengths: Sendable {
    private var bits: UInt64 = 0

    /// Longer ones count as this long.
    private static let maximum = 63

    package init() {}

    package mutating func insert(_ name: String) { bits |= 1 &<< UInt64(min(name.utf8.count, Self.maximum)) }

    /// Whether there may be such a name.
    package func contain(_ name: String) -> Bool { bits &>> UInt64(min(name.utf8.count, Self.maximum)) & 1 == 1 }
}

extension HeaderFields: RandomAccessCollection {
    /// Zero, the position of the first field.
    public var startIndex: Int { 0 }
    /// The number of fields.
    public var endIndex: Int { storage.count }
    /// The field at `position`, which must be one of `indices`.
    public subscript(position: Int) -> HeaderField { storage[position] }
}

extension HeaderFields: CustomStringConvertible {
    /// One line per field; see ``HeaderField/description`` for omitted values.
    public var description: String {
        storage.map(\.description).joined(separator: "\n")
    }
}

extension HeaderFields: ExpressibleByDictionaryLiteral {
    /// Names and values in the order written; a name may come twice.
    public init(dictionaryLiteral elements: (String, String)...) {
        storage = elements.map { HeaderField(name: $0.0, value: $0.1) }
    }
}

extension [HeaderField] {
    /// Whether a field of this name is present; lengths are compared first, because they usually differ.
    @inline(__always)
    func contains(_ name: String) -> Bool {
        let length = name.utf8.count
        for index in indices {
            if self[index].name.utf8.count == length, self[index].name.isFieldName(name) { return true }
        }
        return false
    }
}
