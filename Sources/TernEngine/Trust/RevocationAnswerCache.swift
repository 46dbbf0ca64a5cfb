// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Synchronization
import TernIO
import TernTLS

/// What came back to questions about revocation, and what is being asked: a question is under way only once. Any thread.
final class RevocationAnswerCache: Sendable {
    fileprivate struct Entry {
        let answer: Task<RevocationAnswer, Never>
        /// Nil while the question is under way.
        var expiry: Int64?
        var size = 0
    }

    fileprivate struct State {
        var entries: [RevocationQuestion: Entry] = [:]
        var size = 0
    }

    /// Fresh news within these limits, whatever an answer says of itself; both in seconds.
    private static let maximumAge: Int64 = 3600
    private static let ageOfNothing: Int64 = 60
    private static let countLimit = 512
    private static let sizeLimit = 32 * 1024 * 1024

    private let state = Lock(State())

    deinit {
        state.withLock { state in
            for entry in state.entries.values where entry.expiry == nil { entry.answer.cancel() }
        }
    }

    /// The answer that is known or on its way, else the one that `fetch` brings.
    func answer(
        to question: RevocationQuestion, fetch: @escaping @Sendable () async -> RevocationAnswer
    ) -> Task<RevocationAnswer, Never> {
        state.withLock { state in
            if let entry = state.entries[question], entry.expiry.map({ $0 > Self.now }) ?? true { return entry.answer }
            state.forget(question)
            let task = Task { [weak self] in
                let answer = await fetch()
                self?.keep(answer, to: question)
                return answer
            }
            state.entries[question] = Entry(answer: task)
            return task
        }
    }

    func distrust(_ questions: [RevocationQuestion]) {
        state.withLock { state in
            for question in questions {
                guard let expiry = state.entries[question]?.expiry else { continue }
                state.entries[question]?.expiry = min(expiry, Self.now + Self.ageOfNothing)
            }
        }
    }

    private func keep(_ answer: RevocationAnswer, to question: RevocationQuestion) {
        let (nextUpdate, size) = Self.measure(answer)
        state.withLock { state in
            guard state.entries[question] != nil else { return }
            if state.entries.count > Self.countLimit || state.size + size > Self.sizeLimit { state.dropKnown() }
            state.entries[question]?.expiry = min(nextUpdate, Self.now + Self.maximumAge)
            state.entries[question]?.size = size
            state.size += size
        }
    }

    private static func measure(_ answer: RevocationAnswer) -> (nextUpdate: Int64, size: Int) {
        switch answer {
        case .response(let response): (response.nextUpdate ?? now + ageOfNothing, response.der.count)
        // Parsed, a list takes several times its size.
        case .list(let list): (list.nextUpdate ?? now + ageOfNothing, list.size * 4)
        case .none: (now + ageOfNothing, 0)
        }
    }

    private static var now: Int64 { Int64(Date().timeIntervalSince1970) }
}

extension RevocationAnswerCache.State {
    fileprivate mutating func forget(_ question: RevocationQuestion) {
        size -= entries.removeValue(forKey: question)?.size ?? 0
    }

    /// Makes room at once rather than bit by bit: it is seldom needed, and all can be fetched again.
    fileprivate mutating func dropKnown() {
        for (question, entry) in entries where entry.expiry != nil { forget(question) }
    }
}
