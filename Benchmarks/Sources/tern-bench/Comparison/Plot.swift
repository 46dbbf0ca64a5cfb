// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// A report as a picture: for each scenario a bar per client, as long as its CPU time is times the baseline's. SVG 1.1,
/// without script or fonts of its own.
struct Plot {
    private let report: Report

    init(_ report: Report) { self.report = report }

    private static let (width, names, rowHeight, headHeight) = (900.0, 260.0, 20.0, 34.0)
    /// A bar for ten times the baseline fills its line; a longer one is cut, and broken so that one sees it.
    private static let longest = 10.0

    var svg: String {
        var scenarios: [Scenario] = []
        for row in report.rows where !scenarios.contains(row.scenario) { scenarios.append(row.scenario) }
        var (parts, y) = ([String](), 0.0)
        for scenario in scenarios {
            let rows = report.rows.filter { $0.scenario == scenario }
            parts.append(
                Self.text("\(scenario.title): CPU × \(scenario.baseline.title)", x: 8, y: y + 22, weight: "bold"))
            y += Self.headHeight
            for row in rows {
                parts.append(Self.bar(row, at: y))
                y += Self.rowHeight
            }
        }
        let machine = "\(report.machine.processorCount) × \(report.machine.processor), \(report.rounds) rounds"
        parts.append(Self.text(machine, x: 8, y: y + 22, weight: "normal"))
        return """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(Int(Self.width))" height="\(Int(y + Self.headHeight))" \
            font-family="sans-serif" font-size="13">
            <rect width="100%" height="100%" fill="white"/>
            \(parts.joined(separator: "\n"))
            </svg>

            """
    }

    private static func bar(_ row: Row, at y: Double) -> String {
        let name = text(row.client.title, x: 20, y: y + 14, weight: "normal")
        guard let ratio = row.cpuRatio else {
            return name + text("not measured", x: names, y: y + 14, weight: "normal")
        }
        let length = min(ratio, longest) / longest * (width - names - 60)
        let color = row.client.rawValue.hasPrefix("tern") ? "#1b6ca8" : "#b8b8b8"
        let bar = String(
            format: #"<rect x="%.0f" y="%.1f" width="%.1f" height="14" fill="%@"/>"#, names, y + 3, length, color)
        // Two strokes in the background's colour break a bar that is longer than its line.
        let cut = String(
            format: #"<path d="M%.1f %.1f l4 -18 m4 0 l-4 18" stroke="white" stroke-width="2"/>"#, names + length - 24,
            y + 19)
        return name + bar + (ratio > longest ? cut : "")
            + text(Markdown.figure(ratio), x: names + length + 6, y: y + 14, weight: "normal")
    }

    private static func text(_ text: String, x: Double, y: Double, weight: String) -> String {
        let escaped = text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
        return String(format: #"<text x="%.1f" y="%.1f" font-weight="%@">%@</text>"#, x, y, weight, escaped)
    }
}
