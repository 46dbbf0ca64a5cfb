// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernEngine
import TernIO

/// The waterfall of one task, without secrets: a bar for each phase of each attempt, and for each wait, on the scale of
/// the task's time; and what servers say about theirs.
struct WaterfallChart: Sendable {
    enum Row: Sendable, Equatable {
        /// The beginning of an attempt, or of an answer without one.
        case heading(String)
        /// Nanoseconds since the task's start.
        case bar(name: String, color: Int, Range<Int64>)
        /// A metric of `Server-Timing`.
        case note(String)
    }

    let title: String
    let rows: [Row]
    /// The task's time, in nanoseconds.
    private let length: Int64

    init(_ record: TaskRecord) {
        func range(_ start: MonotonicInstant, _ end: MonotonicInstant) -> Range<Int64> {
            let first = max(0, start.nanoseconds - record.start.nanoseconds)
            return first..<max(first, end.nanoseconds - record.start.nanoseconds)
        }
        length = max(1, record.end.nanoseconds - record.start.nanoseconds)
        let outcome =
            record.error?.reason.kind.rawValue ?? (record.entries.last?.response?.statusCode).map(String.init) ?? "over"
        let time = Self.time(range(record.start, record.end))
        title = "\(outcome) in \(time)\(record.request.map(Self.text) ?? "")"
        var parts = record.entries.map { entry in
            let bars = entry.phases.map { phase in
                Row.bar(
                    name: phase.kind.rawValue, color: AttemptPhase.Kind.allCases.firstIndex(of: phase.kind) ?? 0,
                    range(phase.start, phase.end))
            }
            let notes = (entry.response?.serverTimings ?? []).map { Row.note(Self.text(of: $0)) }
            return (start: entry.start, rows: [.heading(Self.heading(entry))] + bars + notes)
        }
        parts += record.waits.map { wait in
            let row = Row.bar(
                name: wait.reason.rawValue, color: AttemptPhase.Kind.allCases.count, range(wait.start, wait.end))
            return (wait.start, [row])
        }
        let sorted = parts.enumerated().sorted { ($0.element.start, $0.offset) < ($1.element.start, $1.offset) }
        let dropped = record.droppedCount > 0 ? [Row.heading("\(record.droppedCount) older attempts are left out")] : []
        rows = dropped + sorted.flatMap(\.element.rows)
    }

    /// Last in its line, so that a line that is cut loses nothing else.
    private static func text(of request: URLRequest) -> String {
        let url = request.sensitiveFields.withoutSecrets(request.url?.absoluteString ?? "", placeholder: "redacted")
        return TerminalText.cleaned(": \(request.httpMethod ?? "GET") \(url)")
    }

    private static func heading(_ entry: TaskRecord.Entry) -> String {
        let number = entry.attempt > 0 ? "attempt \(entry.attempt)" : "no attempt"
        let status = entry.metrics == nil ? entry.response.map { "\($0.statusCode), " } ?? "" : ""
        return "\(number)\(entry.isHedge ? ", hedge" : ""): \(status)\(entry.outcome)\(text(of: entry.request))"
    }

    private static func text(of timing: ServerTiming) -> String {
        let duration = timing.duration.map { " \(DecimalText.short($0 / .milliseconds(1))) ms" } ?? ""
        return TerminalText.cleaned("server: \(timing.name)\(duration)\(timing.description.map { " (\($0))" } ?? "")")
    }

    private static func time(_ range: Range<Int64>) -> String {
        DecimalText.fixed(Double(range.count) / 1e6, digits: 2) + " ms"
    }
}

// On a terminal
extension WaterfallChart {
    /// Lines of ASCII, none wider than this, but with 50 columns at least. A bar that is shorter than its column is
    /// `|`.
    func text(width: Int) -> String {
        let width = max(50, width)
        let lines = rows.map { row in
            switch row {
            case .heading(let text): Self.cut(text, width)
            case .note(let text): Self.cut("  " + text, width)
            case .bar(let name, _, let range): line(name, range, width)
            }
        }
        return ([Self.cut(title, width)] + lines).joined(separator: "\n")
    }

    private func line(_ name: String, _ range: Range<Int64>, _ width: Int) -> String {
        let (names, times) = (14, 14)
        let columns = width - names - times
        func column(_ time: Int64) -> Int { Int(Double(min(time, length)) / Double(length) * Double(columns)) }
        let first = min(column(range.lowerBound), columns - 1)
        let count = column(range.upperBound) - first
        let bar = count > 0 ? String(repeating: "#", count: count) : "|"
        let time = Self.time(range)
        return Self.padded("  \(name)", names) + Self.padded(String(repeating: " ", count: first) + bar, columns)
            + String(repeating: " ", count: max(0, times - time.count)) + time
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    private static func cut(_ text: String, _ width: Int) -> String {
        text.count > width ? text.prefix(width - 3) + "..." : text
    }
}

// As a picture
extension WaterfallChart {
    private static let (width, firstBar, lastBar, rowHeight) = (960, 130, 850, 18)
    /// The number of characters that fit in a line, in every usual monospaced font.
    private static let lineLength = 125
    private static let maximumLineCount = 40
    private static let style = """
        text { font: 12px ui-monospace, monospace; fill: #202124 } .title { font-weight: bold } .note { fill: #5f6368 }
        .page { fill: #ffffff } .track { fill: #f1f3f4 }
        .c0 { fill: #9aa0a6 } .c1 { fill: #14a098 } .c2 { fill: #e8871e } .c3 { fill: #a05ee8 } .c4 { fill: #d4508f }
        .c5 { fill: #3aa655 } .c6 { fill: #3f7fe8 } .c7 { fill: #c49a1a }
        @media (prefers-color-scheme: dark) {
          text { fill: #e8eaed } .note { fill: #9aa0a6 } .page { fill: #1b1c1f } .track { fill: #2b2d31 }
        }
        """

    /// SVG without script, fonts or files of others, for a light and a dark background.
    static func svg(_ charts: [WaterfallChart]) -> String {
        var (parts, y) = ([String](), 8)
        for chart in charts {
            add(chart.title, "title", x: 12, to: &parts, &y)
            for row in chart.rows {
                switch row {
                case .heading(let text): add(text, "", x: 12, to: &parts, &y)
                case .note(let text): add(text, "note", x: 24, to: &parts, &y)
                case .bar(let name, let color, let range): parts.append(chart.bar(name, color, range, at: &y))
                }
            }
            y += rowHeight
        }
        return """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(y)" viewBox="0 0 \(width) \(y)">
            <style>\(style)</style>
            <rect class="page" width="100%" height="100%"/>
            \(parts.joined(separator: "\n"))
            </svg>

            """
    }

    /// A long text continues in further lines.
    private static func add(_ text: String, _ kind: String, x: Int, to parts: inout [String], _ y: inout Int) {
        var rest = text[...]
        for number in 0..<maximumLineCount where !rest.isEmpty {
            parts.append(element(String(rest.prefix(lineLength)), kind, x: number == 0 ? x : x + 24, y: y))
            rest = rest.dropFirst(lineLength)
            y += rowHeight
        }
    }

    private func bar(_ name: String, _ color: Int, _ range: Range<Int64>, at y: inout Int) -> String {
        defer { y += Self.rowHeight }
        let scale = Double(Self.lastBar - Self.firstBar) / Double(length)
        func x(_ time: Int64) -> Double { Double(Self.firstBar) + Double(min(time, length)) * scale }
        let first = min(x(range.lowerBound), Double(Self.lastBar) - 1)
        let (start, size) = (DecimalText.short(first), DecimalText.short(max(1, x(range.upperBound) - first)))
        let track = Self.lastBar - Self.firstBar
        return Self.element(name, "", x: 24, y: y)
            + "<rect class=\"track\" x=\"\(Self.firstBar)\" y=\"\(y + 3)\" width=\"\(track)\" height=\"12\"/>"
            + "<rect class=\"c\(color)\" x=\"\(start)\" y=\"\(y + 3)\" width=\"\(size)\" height=\"12\"/>"
            + Self.element(Self.time(range), "", x: Self.width - 12, y: y, end: true)
    }

    private static func element(_ text: String, _ kind: String, x: Int, y: Int, end: Bool = false) -> String {
        let escaped = text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
        let anchor = end ? " text-anchor=\"end\"" : ""
        return "<text class=\"\(kind)\" x=\"\(x)\" y=\"\(y + 13)\"\(anchor)>\(escaped)</text>"
    }
}
