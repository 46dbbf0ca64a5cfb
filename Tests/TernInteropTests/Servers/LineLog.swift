// SPDX-License-Identifier: Apache-2.0

import Foundation
import TernLock

/// The lines a server writes, as they come.
final class LineLog: Sendable {
    typealias Condition = @Sendable ([String]) -> Bool

    fileprivate struct State {
        var lines: [String] = []
        var partial: [UInt8] = []
        var isComplete = false
        var waiters: [UUID: (condition: Condition, continuation: CheckedContinuation<Bool, Never>)] = [:]
    }

    private let state = Lock(State())

    /// All lines so far.
    var lines: [String] { state.withLock { $0.lines } }

    /// Takes what a pipe delivers. No bytes mean that no more will come.
    @Sendable func append(_ bytes: Data) {
        let answers = state.withLock { state in
            state.take(bytes)
            return state.answers()
        }
        for (continuation, answer) in answers { continuation.resume(returning: answer) }
    }

    /// Waits until the lines meet the condition. False if the time passes or the server ends before they do.
    func waitFor(_ timeout: Duration = .seconds(60), _ condition: @escaping Condition) async -> Bool {
        let key = UUID()
        var timer: Task<Void, Never>?
        defer { timer?.cancel() }
        return await withCheckedContinuation { continuation in
            let answers = state.withLock { state in
                state.waiters[key] = (condition, continuation)
                return state.answers()
            }
            for (continuation, answer) in answers { continuation.resume(returning: answer) }
            timer = Task {
                try? await Task.sleep(for: timeout)
                state.withLock { $0.waiters.removeValue(forKey: key) }?.continuation.resume(returning: false)
            }
        }
    }
}

extension LineLog.State {
    fileprivate mutating func take(_ bytes: Data) {
        isComplete = isComplete || bytes.isEmpty
        partial += bytes
        while let end = partial.firstIndex(of: UInt8(ascii: "\n")) {
            lines.append(String(decoding: partial[..<end], as: UTF8.self))
            partial.removeFirst(end + 1)
        }
    }

    /// Removes the waiters that have their answer.
    fileprivate mutating func answers() -> [(CheckedContinuation<Bool, Never>, Bool)] {
        waiters.compactMap { key, waiter in
            let holds = waiter.condition(lines)
            guard holds || isComplete else { return nil }
            waiters[key] = nil
            return (waiter.continuation, holds)
        }
    }
}
