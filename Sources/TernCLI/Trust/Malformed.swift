// SPDX-License-Identifier: Apache-2.0
import TernEngine

/// A case that cannot be evaluated. An unreadable case is refused.
struct Malformed: Error {
    /// A stable word, as `reason` in the output.
    let reason: String
    let detail: String

    init(_ error: PolicyFileError) {
        reason =
            switch error.reason {
            case .invalidCertificate: "malformed-certificate"
            case _ where error.field.hasPrefix("policy"): "malformed-policy"
            default: "malformed-case"
            }
        // The text is one line, so only the field is reported.
        detail = error.field.isEmpty ? "\(error.reason)" : "\(error.field): \(error.reason)"
    }

    /// A line of more bytes than `limit`.
    static func tooLong(limit: Int) -> Malformed {
        Malformed(reason: "line-too-long", detail: "the line is longer than \(limit) bytes")
    }

    private init(reason: String, detail: String) {
        self.reason = reason
        self.detail = detail
    }

    init(detail: String) {
        reason = "malformed-case"
        self.detail = detail
    }
}
