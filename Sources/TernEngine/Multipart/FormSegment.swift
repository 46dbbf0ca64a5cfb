// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// A range of a form's bytes, and their source.
enum FormSegment: Sendable {
    case data(Data)
    case file(FormFile)
    case source(SingleUseSource, length: Int?)

    /// The length in bytes; nil if it is unknown.
    var length: Int? {
        switch self {
        case .data(let data): data.count
        case .file(let file): Int(exactly: file.length)
        case .source(_, let length): length
        }
    }

    /// Whether it can be read from its beginning again.
    var isReplayable: Bool { if case .source = self { false } else { true } }

    /// Nil if one is unknown, or the sum is too large.
    static func sum(_ one: Int?, _ other: Int?) -> Int? {
        guard let one, let other else { return nil }
        let (sum, isTooLarge) = one.addingReportingOverflow(other)
        return isTooLarge ? nil : sum
    }
}
