// SPDX-License-Identifier: Apache-2.0

/// How far a body has come, in words for one line of a terminal.
enum ProgressLine {
    private static let width = 30

    /// - Parameter length: nil if it is not known.
    static func text(received: Int, length: Int?, seconds: Double) -> String {
        let speed = seconds > 0 ? size(Double(received) / seconds) + "/s" : ""
        guard let length, length > 0 else { return "\(size(Double(received)))  \(speed)" }
        let share = min(1, Double(received) / Double(length))
        let full = Int(share * Double(width))
        let bar = String(repeating: "#", count: full) + String(repeating: "-", count: width - full)
        return "[\(bar)] \(Int(share * 100)) %  \(size(Double(received))) of \(size(Double(length)))  \(speed)"
    }

    private static func size(_ bytes: Double) -> String {
        var rest = bytes
        for unit in ["B", "KB", "MB", "GB"] {
            if rest < 1024 { return "\(unit == "B" ? "\(Int(rest))" : tenths(rest)) \(unit)" }
            rest /= 1024
        }
        return "\(tenths(rest)) TB"
    }

    private static func tenths(_ number: Double) -> String { "\((number * 10).rounded(.down) / 10)" }
}
