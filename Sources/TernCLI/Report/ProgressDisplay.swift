// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernLibC
import TernIO
import TernLock

/// Shows the progress of a body, on a thread of its own, so that a stopped terminal stops nothing else. A moving bar on
/// a terminal, a line for each tenth elsewhere.
///
/// `linesTold` and `shown` belong to the queue, hence `@unchecked Sendable`.
final class ProgressDisplay: @unchecked Sendable {
    private struct State {
        var start = Date()
        var length: Int?
        var received = 0
        var offset = 0
    }

    /// Where it is shown.
    enum Place {
        /// If standard error is a terminal.
        case terminal
        /// Also as lines if it is not.
        case wherever
        /// The same without the last line: what has come of it is told.
        case beforeResult
    }

    private static let interval = Duration.milliseconds(200)

    private let queue = SerialQueue()
    private let state = Lock(State())
    private let isTerminal: Bool
    private let tellsEnd: Bool
    /// The number of the body that is being shown, which ends the repetition of those before.
    private var shown: Int?
    private var count = 0
    /// The number of tenths shown as lines.
    private var linesTold = 0

    /// Nil if standard error is not such an output.
    init?(_ place: Place = .terminal) {
        isTerminal = isatty(STDERR_FILENO) == 1
        tellsEnd = place == .wherever
        switch place {
        case .terminal where !isTerminal: return nil
        case .terminal, .wherever, .beforeResult: break
        }
    }

    /// - Parameters:
    ///   - length: the length of the whole; nil if it is unknown.
    ///   - offset: the position at which the body begins in it.
    func start(length: Int?, from offset: Int = 0) {
        state.withLock { $0 = State(length: length, received: offset, offset: offset) }
        queue.async { [self] in
            linesTold = 0
            count += 1
            shown = count
            showLater(count)
        }
    }

    private func showLater(_ number: Int) {
        queue.async(after: Self.interval) { [weak self] in
            guard let self, shown == number else { return }
            show()
            showLater(number)
        }
    }

    func advance(to received: Int) {
        state.withLock { $0.received = received }
    }

    /// Shows the end, and finishes the line.
    func finish() { queue.sync { end() } }

    /// The same, later: without waiting for a stopped terminal.
    func settle() { queue.async { [self] in end() } }

    private func end() {
        guard shown.take() != nil else { return }
        if isTerminal {
            show()
            write("\n")
        } else if tellsEnd {
            tell(state.withLock { $0 })
        }
    }

    private func show() {
        let state = state.withLock { $0 }
        if !isTerminal { return tellTenth(state) }
        write(
            "\r\u{1B}[K"
                + ProgressLine.text(
                    received: state.received, from: state.offset, length: state.length,
                    seconds: Date().timeIntervalSince(state.start)))
    }

    private func tellTenth(_ state: State) {
        guard let length = state.length, length > 0 else { return }
        let tenths = Int(Double(state.received) / Double(length) * 10)
        guard tenths > linesTold, tenths < 10 else { return }
        linesTold = tenths
        tell(state)
    }

    private func tell(_ state: State) {
        StandardStreams.tell(
            "tern: "
                + ProgressLine.plain(
                    received: state.received, from: state.offset, length: state.length,
                    seconds: Date().timeIntervalSince(state.start)))
    }

    private func write(_ text: String) {
        try? StandardStreams.write(Data(text.utf8), to: STDERR_FILENO)
    }
}

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
