// SPDX-License-Identifier: Apache-2.0
import TernEngine

/// A case that cannot be evaluated. Whatever cannot be read is refused.
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
        // The text is one line; the field alone says where.
        detail = error.field.isEmpty ? "\(error.reason)" : "\(error.field): \(error.reason)"
    }

    init(detail: String) {
        reason = "malformed-case"
        self.detail = detail
    }
}
