// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// The figures of a run as a picture: for each scenario a bar per client, as long as its CPU time is times the
/// baseline's, the cheapest first. SVG 1.1, without script or fonts of its own.
struct Plot {
    /// A client, and what it is called in the picture.
    typealias Name = (client: Peer, title: String)

    private let run: RecordedRun
    private let groups: [(scenario: Scenario, bars: [Bar])]
    /// Where the bars begin: right of the longest name.
    private let origin: Double
    /// A bar of this ratio fills its line. A longer one is cut, and broken so that one sees it.
    private let longest: Double

    private struct Bar {
        let name: String
        let isOwn: Bool
        let ratio: Double?
    }

    /// What a reader who meets Tern for the first time compares it with.
    static let few: [Name] = [
        (.ternRuntime, "Tern, with TernRuntime.install()"), (.ternPlain, "Tern, without it"),
        (.hyperClient, "hyper's client"), (.reqwest, "reqwest"), (.curlMulti, "libcurl"), (.urlSession, "URLSession"),
    ]

    static let all: [Name] = Peer.allCases.map { ($0, $0.title) }

    init(_ run: RecordedRun, of names: [Name]) {
        self.run = run
        groups = run.scenarios.map { scenario in
            let bars = names.compactMap { client, title -> Bar? in
                let row = run.rows.first { $0.scenario == scenario && $0.client == client }
                return row.map { Bar(name: title, isOwn: client.rawValue.hasPrefix("tern"), ratio: $0.cpuRatio) }
            }
            return (scenario, bars.sorted { $0.ratio ?? .infinity < $1.ratio ?? .infinity })
        }
        let bars = groups.flatMap(\.bars)
        origin = Self.indent + (bars.map { Self.width(of: $0.name) }.max() ?? 0)
        longest = 4 * (bars.compactMap(\.ratio).median ?? 1)
    }

    private static let (width, rowHeight, headHeight) = (900.0, 20.0, 34.0)
    private static let (margin, indent, figureWidth) = (8.0, 20.0, 60.0)

    var svg: String {
        var (parts, y) = ([String](), 0.0)
        for (scenario, bars) in groups {
            let title = "\(scenario.title): CPU time per request, as a multiple of that of \(scenario.baseline.title)"
            parts.append(Self.text(title, x: Self.margin, y: y + 22, weight: "bold"))
            y += Self.headHeight
            for bar in bars {
                parts += draw(bar, at: y)
                y += Self.rowHeight
            }
        }
        let machine = "\(run.machine.processorCount) × \(run.machine.processor), \(run.rounds) rounds"
        parts.append(Self.text(machine, x: Self.margin, y: y + 22, weight: "normal"))
        return """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(Int(Self.width))" height="\(Int(y + Self.headHeight))" \
            font-family="sans-serif" font-size="13">
            <rect width="100%" height="100%" fill="white"/>
            \(parts.joined(separator: "\n"))
            </svg>

            """
    }

    private func draw(_ bar: Bar, at y: Double) -> [String] {
        let name = Self.text(bar.name, x: Self.indent, y: y + 14, weight: "normal")
        guard let ratio = bar.ratio else {
            return [name, Self.text("not measured", x: origin, y: y + 14, weight: "normal")]
        }
        let length = min(ratio / longest, 1) * (Self.width - origin - Self.figureWidth)
        let color = bar.isOwn ? "#1b6ca8" : "#b8b8b8"
        let rectangle = String(
            format: #"<rect x="%.1f" y="%.1f" width="%.1f" height="14" fill="%@"/>"#, origin, y + 3, length, color)
        // Two strokes in the background's colour break a bar that is longer than its line.
        let cut = String(
            format: #"<path d="M%.1f %.1f l4 -18 m4 0 l-4 18" stroke="white" stroke-width="2"/>"#,
            origin + length - 24, y + 19)
        let figure = Self.text(Markdown.figure(ratio), x: origin + length + 6, y: y + 14, weight: "normal")
        return [name, rectangle] + (ratio > longest ? [cut] : []) + [figure]
    }

    /// The most that a name takes in any usual font without serifs, and a gap after it.
    private static func width(of name: String) -> Double { Double(name.count) * 7.8 + 10 }

    private static func text(_ text: String, x: Double, y: Double, weight: String) -> String {
        let escaped = text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
        return String(format: #"<text x="%.1f" y="%.1f" font-weight="%@">%@</text>"#, x, y, weight, escaped)
    }
}
