// SPDX-License-Identifier: Apache-2.0

/// Why a property list is refused before anything is made of it: the error beneath
/// ``AFError/ResponseSerializationFailureReason/propertyListSerializationFailed(error:)``.
///
/// A few hundred bytes can describe an object of gigabytes, because a binary property list may name the same array many
/// times.
public enum PropertyListLimit: Error, Sendable, Hashable {
    /// Its collections are nested more than 512 deep.
    case tooDeep
    /// Written out it has more objects than a list of its length may have.
    case tooManyObjects
    /// It is no binary property list, although it begins as one.
    case malformed

    /// How deep collections may be nested.
    static let depth = 512

    /// How many objects a list of this many bytes may come to. Every mention of an object takes a byte at least, so a
    /// list that names each collection once stays far below.
    static func objects(in count: Int) -> Int { 1_024 + count.multipliedReportingOverflow(by: 8).partialValue }
}

extension PropertyListLimit: CustomStringConvertible {
    /// What is wrong.
    public var description: String {
        switch self {
        case .tooDeep: "the property list is nested more than \(Self.depth) deep"
        case .tooManyObjects: "the property list comes to too many objects for its length"
        case .malformed: "the property list is malformed"
        }
    }
}
