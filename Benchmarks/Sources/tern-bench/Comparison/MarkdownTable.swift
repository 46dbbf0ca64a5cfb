// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Rows as a Markdown table, the first of them its header; padded, so that it is one for the eye as well.
struct MarkdownTable {
    private let rows: [[String]]

    /// - Parameter rows: the header and all others, each with as many cells.
    init(_ rows: [[String]]) { self.rows = rows }

    /// Three figures, never an exponent.
    static func figure(_ value: Double?) -> String {
        guard let value else { return "–" }
        return String(format: value < 10 ? "%.2f" : value < 100 ? "%.1f" : "%.0f", value)
    }

    var text: String {
        let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        let lines = rows.map { row in
            "| " + row.indices.map { pad(row[$0], to: widths[$0], left: $0 > 0) }.joined(separator: " | ") + " |"
        }
        let rule =
            "|"
            + widths.indices.map { String(repeating: "-", count: widths[$0] + 1) + ($0 > 0 ? ":" : "-") }
            .joined(separator: "|") + "|"
        return ([lines[0], rule] + lines.dropFirst()).joined(separator: "\n")
    }

    private func pad(_ text: String, to width: Int, left: Bool) -> String {
        let blanks = String(repeating: " ", count: max(0, width - text.count))
        return left ? blanks + text : text + blanks
    }
}
