// SPDX-License-Identifier: Apache-2.0

/// A response that the options refuse.
enum RefusedResponse: ReportedFailure, CustomStringConvertible {
    /// `-f` and `--fail-with-body`.
    case status(Int)
    /// `--max-filesize`.
    case tooLarge(limit: Int)
    /// `--proto` and `--proto-redir`.
    case redirect(scheme: String)
    /// It has several `Location` fields that differ.
    case ambiguousLocation
    /// `--compressed` asked for another coding.
    case unknownCoding(String)
    /// It will be requested again.
    case transient(status: Int)

    var description: String {
        switch self {
        case .status(let status), .transient(let status): "the server answered \(status)"
        case .redirect(let scheme): "the redirect leads to \(scheme), which --proto and --proto-redir do not allow"
        case .ambiguousLocation: "the response has several Location fields that differ"
        case .unknownCoding(let coding): "the body's coding \(coding.prefix(100)) is unknown"
        case .tooLarge(let limit): "the body exceeds the \(limit) bytes of --max-filesize"
        }
    }

    var exitStatus: ExitStatus {
        switch self {
        case .status, .transient: .refusedStatus
        case .tooLarge: .tooLarge
        case .redirect: .failure
        case .ambiguousLocation: .strangeResponse
        case .unknownCoding: .undecodable
        }
    }

    func message(asking url: String?) -> String {
        guard case .status = self, let url else { return "\(self)" }
        return "\(self) to \(url)"
    }

    /// A stable word for the case, as in the engine's errors.
    var kind: String {
        switch self {
        case .status, .transient: "http-status"
        case .redirect, .ambiguousLocation: "redirect"
        case .unknownCoding: "undecodable"
        case .tooLarge: "body-too-large"
        }
    }

    var phase: String {
        switch self {
        case .status, .transient, .redirect, .ambiguousLocation, .unknownCoding: "head"
        case .tooLarge: "body"
        }
    }
}
