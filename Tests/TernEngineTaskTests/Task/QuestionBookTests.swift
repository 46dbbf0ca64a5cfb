// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Testing

@testable import TernEngine

@Suite struct QuestionBookTests {
    private final class Source: BodySource {
        func next(atMost count: Int, wake: @escaping @Sendable () -> Void) -> BodyPiece { .end() }
        func finish() {}
    }

    private func word(_ reception: QuestionBook.Reception) -> String {
        switch reception {
        case .act: "act"
        case .kept: "kept"
        case .ignored(let finishes): finishes ? "ignored, finished" : "ignored"
        }
    }

    @Test func `an answer within the call is kept for its end, and a later one counts at once`() {
        var book = QuestionBook()
        let first = book.ask()
        #expect(word(book.received(.disposition(.allow), to: first)) == "kept")
        guard case .disposition(.allow)? = book.asked() else {
            Issue.record("the answer is lost")
            return
        }
        let second = book.ask()
        let early = book.asked()
        #expect(early == nil)
        #expect(word(book.received(.disposition(.cancel), to: second)) == "act")
        #expect(first != second)
    }

    @Test func `only the first answer to the open question counts`() {
        var book = QuestionBook()
        let first = book.ask()
        _ = book.asked()
        #expect(word(book.received(.disposition(.allow), to: first)) == "act")
        #expect(word(book.received(.disposition(.allow), to: first)).hasPrefix("ignored"))
        let second = book.ask()
        _ = book.asked()
        #expect(word(book.received(.disposition(.allow), to: first)).hasPrefix("ignored"))
        book.close()
        #expect(word(book.received(.disposition(.allow), to: second)).hasPrefix("ignored"))
    }

    @Test func `a source that comes too late is finished, once`() {
        var book = QuestionBook()
        let number = book.ask()
        _ = book.asked()
        book.close()
        let answer = DelegateResponse.content(.content(.once(Source(), length: nil)))
        #expect(word(book.received(answer, to: number)) == "ignored, finished")
        #expect(word(book.received(answer, to: number)) == "ignored")
    }
}
