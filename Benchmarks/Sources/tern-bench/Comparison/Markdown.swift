// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Tables for the eye.
enum Markdown {
    /// Three figures, never an exponent.
    static func figure(_ value: Double?) -> String {
        guard let value else { return "–" }
        return String(format: value < 10 ? "%.2f" : value < 100 ? "%.1f" : "%.0f", value)
    }

    /// A table; the first row is its head, the first column is text.
    static func table(_ rows: [[String]]) -> String {
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

    private static func pad(_ text: String, to width: Int, left: Bool) -> String {
        let blanks = String(repeating: " ", count: max(0, width - text.count))
        return left ? blanks + text : text + blanks
    }
}
