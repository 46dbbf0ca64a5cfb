// SPDX-License-Identifier: Apache-2.0

extension URLEncoding {
    /// How the key of an array is written.
    public enum ArrayEncoding: Sendable {
        /// `key[]=1&key[]=2`
        case brackets
        /// `key=1&key=2`
        case noBrackets

        func encode(key: String) -> String {
            switch self {
            case .brackets: "\(key)[]"
            case .noBrackets: key
            }
        }
    }

    /// How a boolean is written.
    public enum BoolEncoding: Sendable {
        /// `1` or `0`
        case numeric
        /// `true` or `false`
        case literal

        func encode(value: Bool) -> String {
            switch self {
            case .numeric: value ? "1" : "0"
            case .literal: value ? "true" : "false"
            }
        }
    }
}
