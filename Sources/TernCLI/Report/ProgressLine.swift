// SPDX-License-Identifier: Apache-2.0

/// The progress of a body, as one line of a terminal.
enum ProgressLine {
    private static let width = 30

    /// - Parameters:
    ///   - received: in all.
    ///   - offset: the position at which this exchange began.
    ///   - length: nil if it is unknown.
    ///   - seconds: since then.
    static func text(received: Int, from offset: Int = 0, length: Int?, seconds: Double) -> String {
        let plain = plain(received: received, from: offset, length: length, seconds: seconds)
        guard let length, length > 0 else { return plain }
        let full = Int(min(1, Double(received) / Double(length)) * Double(width))
        return "[\(String(repeating: "#", count: full) + String(repeating: "-", count: width - full))] \(plain)"
    }

    /// The same without a bar, for an output other than a terminal.
    static func plain(received: Int, from offset: Int = 0, length: Int?, seconds: Double) -> String {
        let rate = seconds > 0 ? Double(received - offset) / seconds : 0
        let speed = seconds > 0 ? size(rate) + "/s" : ""
        guard let length, length > 0 else { return "\(size(Double(received)))  \(speed)" }
        let share = min(1, Double(received) / Double(length))
        return "\(Int(share * 100)) %  \(size(Double(received))) of \(size(Double(length)))  \(speed)"
            + timeLeft(Double(length - received), rate)
    }

    /// The received bytes, and the rate.
    static func amount(_ length: Int64, since offset: Int64, seconds: Double) -> String {
        let speed = seconds > 0 ? ", \(size(Double(length - offset) / seconds))/s" : ""
        return "\(size(Double(length))) in \(tenths(seconds)) s\(speed)"
    }

    private static func timeLeft(_ bytes: Double, _ rate: Double) -> String {
        guard bytes > 0, rate > 0, bytes / rate < 360_000 else { return "" }
        let seconds = Int((bytes / rate).rounded(.up))
        let (minutes, hours) = (seconds / 60 % 60, seconds / 3600)
        if hours > 0 { return "  \(hours) h \(minutes) min left" }
        return minutes > 0 ? "  \(minutes) min \(seconds % 60) s left" : "  \(seconds) s left"
    }

    static func size(_ bytes: Double) -> String {
        var rest = bytes
        for unit in ["B", "KB", "MB", "GB"] {
            if rest < 1024 { return "\(unit == "B" ? "\(Int(rest))" : tenths(rest)) \(unit)" }
            rest /= 1024
        }
        return "\(tenths(rest)) TB"
    }

    private static func tenths(_ number: Double) -> String { "\((number * 10).rounded(.down) / 10)" }
}
