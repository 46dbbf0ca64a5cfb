// SPDX-License-Identifier: Apache-2.0

/// Numbers the questions of one task, of which at most one is open, so that only the first answer to the open one
/// counts.
struct QuestionBook {
    private var count: UInt64 = 0
    /// The number of the open question; 0 if none is open.
    private var open: UInt64 = 0
    private var isBeingAsked = false
    /// The answer that was given while the delegate was called.
    private var answer: DelegateResponse?
    /// Sources in answers. Each is finished once, however often it is given.
    private var given: [any BodySource] = []

    /// Opens a question. Call `asked` when the delegate has returned.
    mutating func ask() -> UInt64 {
        count &+= 1
        open = count
        isBeingAsked = true
        return count
    }

    /// Returns the answer, if the delegate gave it within the call.
    mutating func asked() -> DelegateResponse? {
        isBeingAsked = false
        return answer.take()
    }

    /// The effect of an answer.
    enum Reception {
        /// The task acts on it.
        case act
        /// The task acts on it when the delegate has returned.
        case kept
        /// None; content in it is finished unless it came before.
        case ignored(finishes: Bool)
    }

    mutating func received(_ answer: DelegateResponse, to number: UInt64) -> Reception {
        let isNew = answer.source.map { remember($0) } ?? true
        guard number == open else { return .ignored(finishes: isNew) }
        open = 0
        if !isBeingAsked { return .act }
        self.answer = answer
        return .kept
    }

    /// No answer counts any more.
    mutating func close() { open = 0 }

    /// False if the source came before.
    private mutating func remember(_ source: any BodySource) -> Bool {
        if given.contains(where: { $0 === source }) { return false }
        given.append(source)
        return true
    }
}
