// SPDX-License-Identifier: Apache-2.0

/// A response that came, and that the command line says not to take.
enum RefusedResponse: Error, CustomStringConvertible {
    /// `-f` and `--fail-with-body`.
    case status(Int)
    /// `--max-filesize`.
    case tooLarge(limit: Int)
    /// It will be asked for again.
    case transient(status: Int)

    var description: String {
        switch self {
        case .status(let status), .transient(let status): "the server answered \(status)"
        case .tooLarge(let limit): "the body exceeds the \(limit) bytes of --max-filesize"
        }
    }

    /// A stable word for the case, as in the engine's errors.
    var kind: String {
        switch self {
        case .status, .transient: "http-status"
        case .tooLarge: "body-too-large"
        }
    }

    var phase: String {
        switch self {
        case .status, .transient: "head"
        case .tooLarge: "body"
        }
    }
}
