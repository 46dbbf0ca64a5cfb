// SPDX-License-Identifier: Apache-2.0
import TernLock
import Testing

@testable import Tern

@Suite struct RetryQuestionTests {
    private let journal = Journal()

    private func question() -> RetryQuestion {
        RetryQuestion { [journal] retries, delay in journal.note("\(retries) \(delay)") }
    }

    @Test func `the first answer counts`() {
        let question = question()
        question.answer(true, after: 2)
        question.answer(false, after: 0)
        #expect(journal.entries == ["true 2.0"])
    }

    @Test func `a question that is released without an answer is answered no`() {
        _ = question()
        #expect(journal.entries == ["false 0.0"])
    }

    @Test func `an answered question releases its receiver`() {
        final class Receiver: Sendable {}
        var receiver: Receiver? = Receiver()
        weak let last = receiver
        let question = RetryQuestion { [receiver] _, _ in _ = receiver }
        receiver = nil
        #expect(last != nil)
        question.answer(false, after: 0)
        #expect(last == nil)
    }
}
