// SPDX-License-Identifier: Apache-2.0

/// A JSON value that knows its position, so that an error can name it.
package struct JSONNode: Sendable, Hashable {
    package enum Value: Sendable, Hashable {
        case null
        case boolean(Bool)
        /// As written: what it is worth is for the reader of the field to say.
        case number(String)
        case string(String)
        case array([JSONNode])
        /// In order; no name occurs twice.
        case object([Member])
    }

    package struct Member: Sendable, Hashable {
        package let name: String
        /// Of the name's opening quote, in bytes from the beginning of the text.
        package let offset: Int
        package let node: JSONNode
    }

    package let value: Value
    /// Of the value's first byte, in bytes from the beginning of the text.
    package let offset: Int

    /// What kind of value it is, as errors name it.
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
