// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernLibC
import TernIO
import TernLock

/// What a transfer tells of its progress in one direction.
protocol TransferProgress: Sendable {
    /// - Parameters:
    ///   - length: the length of the whole; nil if it is unknown.
    ///   - offset: the position at which the body begins in it.
    func start(length: Int?, from offset: Int)
    /// - Parameter count: of bytes, with those before the offset.
    func advance(to count: Int)
    /// Shows the end.
    func finish()
    /// The same, later: without waiting for a stopped terminal.
    func settle()
}

extension ProgressDisplay: TransferProgress {}

/// The progress of all transfers of a run that go side by side, as one line of the terminal.
///
final class TransferMeter: Sendable {
    /// The bytes in one direction.
    fileprivate struct Amount {
        var moved = 0
        /// Of the transfers that have said their length.
        var announced = 0
        var isLengthKnown = true
    }

    fileprivate enum Direction: Hashable {
        case received, sent
    }

    fileprivate struct State {
        var begun = 0
        var ended = 0
        var amounts = [Direction.received: Amount(), .sent: Amount()]
        /// A body is on the same terminal.
        var isHidden = false
        /// Nothing more is shown.
        var isOver = false
        /// The cursor is at the end of the line.
        var isShown = false
    }

    private static let interval = Duration.milliseconds(500)

    fileprivate let state = Lock(State())
    private let queue = SerialQueue()
    private let start = Date()

    /// Nil if standard error is no terminal.
    init?() {
        guard isatty(STDERR_FILENO) == 1 else { return nil }
        showLater()
    }

    private func showLater() {
        queue.async(after: Self.interval) { [weak self] in
            guard let self, !state.withLock({ $0.isOver }) else { return }
            show()
            showLater()
        }
    }

    func begin() { state.withLock { $0.begun += 1 } }

    func end() { state.withLock { $0.ended += 1 } }

    /// The part of one transfer's response.
    var ofResponse: any TransferProgress { Part(meter: self, direction: .received) }

    /// The part of one transfer's content.
    var ofContent: any TransferProgress { Part(meter: self, direction: .sent) }

    /// Shows nothing from here on.
    func hide() {
        clear()
        state.withLock { $0.isHidden = true }
    }

    /// Makes room for a message.
    func clear() {
        let isShown = state.withLock { state in
            defer { state.isShown = false }
            return state.isShown
        }
        if isShown { write("\r\u{1B}[K") }
    }

    /// Shows the end, and finishes the line.
    func finish() {
        queue.sync {
            show()
            state.withLock { $0.isOver = true }
        }
        if !state.withLock({ $0.isHidden }) { write("\n") }
    }

    private func show() {
        let line = state.withLock { state -> String? in
            if state.isHidden { return nil }
            state.isShown = true
            return text(state, seconds: Date().timeIntervalSince(start))
        }
        if let line { write("\r\u{1B}[K" + line) }
    }

    private func text(_ state: State, seconds: Double) -> String {
        let moved = state.amounts.values.reduce(0) { $0 + $1.moved }
        let rate = seconds > 0 ? Double(moved) / seconds : 0
        return [
            "\(state.ended) done, \(state.begun - state.ended) running",
            Self.text(state.amounts[.received], "received"),
            Self.text(state.amounts[.sent], "sent"), ProgressLine.size(rate) + "/s",
        ].compactMap(\.self).joined(separator: "  ")
    }

    private static func text(_ amount: Amount?, _ verb: String) -> String? {
        guard let amount else { return nil }
        if amount.moved == 0, amount.announced == 0 { return nil }
        let size = ProgressLine.size(Double(amount.moved))
        guard amount.isLengthKnown, amount.announced > 0 else { return "\(size) \(verb)" }
        return "\(size) of \(ProgressLine.size(Double(amount.announced))) \(verb)"
    }

    private func write(_ text: String) {
        try? StandardStreams.write(Data(text.utf8), to: STDERR_FILENO)
    }

    /// One direction of one transfer.
    private final class Part: TransferProgress {
        private let meter: TransferMeter
        private let direction: Direction
        private let moved = Lock(0)

        init(meter: TransferMeter, direction: Direction) {
            (self.meter, self.direction) = (meter, direction)
        }

        func start(length: Int?, from offset: Int) {
            moved.withLock { $0 = offset }
            meter.state.withLock { state in
                if let length { state.amounts[direction]?.announced += max(0, length - offset) }
                if length == nil { state.amounts[direction]?.isLengthKnown = false }
            }
        }

        func advance(to count: Int) {
            let more = moved.withLock { moved in
                defer { moved = count }
                return count - moved
            }
            meter.state.withLock { $0.amounts[direction]?.moved += more }
        }

        func finish() {}

        func settle() {}
    }
}
