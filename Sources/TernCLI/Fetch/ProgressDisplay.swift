// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation
import Glibc
import TernLock

/// Shows on a terminal how far a body has come, on a thread of its own: a terminal that is stopped stops nothing else.
///
/// The timer belongs to the queue, which is what `@unchecked Sendable` rests on.
final class ProgressDisplay: @unchecked Sendable {
    private struct State {
        var start = Date()
        var length: Int?
        var received = 0
        var offset = 0
    }

    private static let interval = 0.2

    private let queue = DispatchQueue(label: "tern.progress")
    private let state = Lock(State())
    private var timer: (any DispatchSourceTimer)?

    /// Nil if standard error is no terminal.
    init?() {
        if isatty(STDERR_FILENO) != 1 { return nil }
    }

    /// - Parameters:
    ///   - length: of the whole; nil if it is not known.
    ///   - offset: where the body begins in it.
    func start(length: Int?, from offset: Int = 0) {
        state.withLock { $0 = State(length: length, received: offset, offset: offset) }
        queue.async { [self] in
            timer?.cancel()
            let timer = DispatchSource.makeTimerSource(queue: queue)
            timer.schedule(deadline: .now() + Self.interval, repeating: Self.interval)
            timer.setEventHandler { [weak self] in self?.show() }
            timer.resume()
            self.timer = timer
        }
    }

    func advance(to received: Int) {
        state.withLock { $0.received = received }
    }

    /// Shows the end, and leaves the line.
    func finish() {
        queue.sync {
            guard let timer = timer.take() else { return }
            timer.cancel()
            show()
            write("\n")
        }
    }

    private func show() {
        let state = state.withLock { $0 }
        write(
            "\r\u{1B}[K"
                + ProgressLine.text(
                    received: state.received, from: state.offset, length: state.length,
                    seconds: Date().timeIntervalSince(state.start)))
    }

    private func write(_ text: String) {
        try? StandardStreams.write(Data(text.utf8), to: STDERR_FILENO)
    }
}
