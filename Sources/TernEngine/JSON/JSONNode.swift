// SPDX-License-Identifier: Apache-2.0

/// A JSON value with its position, so that an error can report it.
package struct JSONNode: Sendable, Hashable {
    package enum Value: Sendable, Hashable {
        case null
        case boolean(Bool)
        /// As written: the reader of the field interprets it.
        case number(String)
        case string(String)
        case array([JSONNode])
        /// In order; no name occurs twice.
        case object([Member])
    }

    package struct Member: Sendable, Hashable {
        package let name: String
        /// The position of the name's opening quote, in bytes from the beginning of the text.
        package let offset: Int
        package let node: JSONNode
    }

    package let value: Value
    /// The position of the value's first byte, in bytes from the beginning of the text.
    package let offset: Int

    /// The type of the value in error messages.
    package var kind: String {
        switch value {
        case .null: "null"
        case .boolean: "a boolean"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}
