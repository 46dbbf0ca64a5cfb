// SPDX-License-Identifier: Apache-2.0

/// Why a property list is refused before it is parsed: the underlying error of
/// ``AFError/ResponseSerializationFailureReason/propertyListSerializationFailed(error:)``.
///
/// A few hundred bytes can describe an object of gigabytes, because a binary property list may reference the same array
/// many times.
public enum PropertyListLimit: Error, Sendable, Hashable {
    /// Its collections are nested more than 512 deep.
    case tooDeep
    /// Expanded, it has more objects than a list of its length may have.
    case tooManyObjects
    /// It begins as a binary property list, but is malformed, or has a value that no property list has, such as a date
    /// that is no number.
    case malformed

    /// The maximum depth of nested collections.
    static let depth = 512

    /// The maximum number of objects of a list of this many bytes. Every reference to an object takes at least a byte,
    /// so a list that references each collection once stays far below.
    static func objects(in count: Int) -> Int { 1_024 + count.multipliedReportingOverflow(by: 8).partialValue }
}

extension PropertyListLimit: CustomStringConvertible {
    /// The kind of error.
    public var description: String {
        switch self {
        case .tooDeep: "the property list is nested more than \(Self.depth) deep"
        case .tooManyObjects: "the property list has too many objects for its length"
        case .malformed: "the property list is malformed"
        }
    }
}
