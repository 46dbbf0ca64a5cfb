// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernTLS
import TernLock

/// The answers to questions about revocation and missing issuers, and the callers that wait for an answer. Any thread
/// may use it.
final class RevocationAnswerCache: Sendable {
    typealias Completion = @Sendable (RevocationAnswer) -> Void

    /// What was asked along one route answers no question along another: its proxy may be another one's, or its egress policy
    /// may refuse the server.
    fileprivate struct Key: Hashable {
        let question: RevocationQuestion
        let route: RouteSettings?
    }

    fileprivate enum Entry {
        /// Pending, and only once.
        case asking([Completion])
        case known(RevocationAnswer, expiry: Int64, size: Int)
    }

    fileprivate struct State {
        var entries: [Key: Entry] = [:]
        var size = 0
    }

    /// The lifetime of an answer is limited to this range, whatever it states itself; both in seconds.
    private static let maximumAge: Int64 = 3600
    private static let ageOfNothing: Int64 = 60
    private static let countLimit = 512
    private static let sizeLimit = 32 * 1024 * 1024

    private let state = Lock(State())

    /// Calls `completion` with the answer, now or when it has arrived. True for the first caller, which must get the
    /// answer and pass it to `keep`.
    ///
    /// - Parameter route: the settings of the route along which the question is asked; nil for the session's.
    func isFirst(
        to question: RevocationQuestion, along route: RouteSettings? = nil, _ completion: @escaping Completion
    ) -> Bool {
        let key = Key(question: question, route: route)
        let (answer, isFirst) = state.withLock { state -> (RevocationAnswer?, Bool) in
            switch state.entries[key] {
            case .known(let answer, let expiry, _) where expiry > Self.now: return (answer, false)
            case .asking(let waiting):
                state.entries[key] = .asking(waiting + [completion])
                return (nil, false)
            case .known, nil:
                state.forget(key)
                state.entries[key] = .asking([completion])
                return (nil, true)
            }
        }
        if let answer { completion(answer) }
        return isFirst
    }

    func keep(_ answer: RevocationAnswer, to question: RevocationQuestion, along route: RouteSettings? = nil) {
        let key = Key(question: question, route: route)
        let (nextUpdate, size) = Self.measure(answer)
        let expiry = min(nextUpdate, Self.now + Self.maximumAge)
        let waiting = state.withLock { state -> [Completion] in
            guard case .asking(let waiting)? = state.entries[key] else { return [] }
            if state.entries.count > Self.countLimit || state.size + size > Self.sizeLimit { state.dropKnown() }
            state.entries[key] = .known(answer, expiry: expiry, size: size)
            state.size += size
            return waiting
        }
        for completion in waiting { completion(answer) }
    }

    func distrust(_ questions: [RevocationQuestion], along route: RouteSettings? = nil) {
        let soon = Self.now + Self.ageOfNothing
        state.withLock { state in
            for key in questions.map({ Key(question: $0, route: route) }) {
                guard case .known(let answer, let expiry, let size)? = state.entries[key] else { continue }
                state.entries[key] = .known(answer, expiry: min(expiry, soon), size: size)
            }
        }
    }

    private static func measure(_ answer: RevocationAnswer) -> (nextUpdate: Int64, size: Int) {
        switch answer {
        case .response(let response): (response.nextUpdate ?? now + ageOfNothing, response.der.count)
        // A parsed list takes several times its size.
        case .list(let list): (list.nextUpdate ?? now + ageOfNothing, list.size * 4)
        case .issuers(let issuers): (.max, issuers.reduce(0) { $0 + $1.der.count })
        case .none: (now + ageOfNothing, 0)
        }
    }

    private static var now: Int64 { Int64(Date().timeIntervalSince1970) }
}

extension RevocationAnswerCache.State {
    fileprivate mutating func forget(_ key: RevocationAnswerCache.Key) {
        if case .known(_, _, let known)? = entries.removeValue(forKey: key) { size -= known }
    }

    /// Frees room all at once rather than gradually: it is seldom needed, and everything can be fetched again.
    fileprivate mutating func dropKnown() {
        entries = entries.filter { if case .asking = $0.value { true } else { false } }
        size = 0
    }
}
