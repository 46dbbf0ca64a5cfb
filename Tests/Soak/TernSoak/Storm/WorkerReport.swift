// SPDX-License-Identifier: Apache-2.0
import TernEngine

/// The answer that a client received, compared with what the server must have sent.
struct WorkerReport: Sendable {
    enum Flaw: Sendable, Equatable {
        case wrongBody(String)
        case disorder(String)
    }

    let question: Question
    private(set) var flaws: [Flaw] = []
    /// The mark of an answer that the server gave to no request.
    private(set) var forged: UInt64?
    private var hasHead = false
    private(set) var isOver = false
    /// Nil when no length makes the body complete.
    private var length: Int?
    private var received = 0

    init(_ question: Question) { self.question = question }

    mutating func note(_ flaw: Flaw) { flaws.append(flaw) }

    mutating func informational() {
        if hasHead || isOver { flaws.append(.disorder("informational response behind the head")) }
    }

    mutating func head(_ response: HTTPURLResponse) {
        if hasHead || isOver { flaws.append(.disorder("head behind \(isOver ? "the end" : "a head")")) }
        hasHead = true
        if let mark = response.value(forHTTPHeaderField: "X-Forged") {
            forged = UInt64(mark, radix: 16) ?? 0
            return
        }
        let nonce = response.value(forHTTPHeaderField: "X-Nonce")
        if nonce != String(question.nonce, radix: 16) {
            flaws.append(.wrongBody("answers \(nonce ?? "no request") with \(response.statusCode)"))
        }
        length = response.value(forHTTPHeaderField: "X-Length").flatMap { Int($0) }
    }

    mutating func bytes(_ bytes: Span<UInt8>) {
        if !hasHead || isOver { flaws.append(.disorder("bytes \(isOver ? "behind the end" : "before the head")")) }
        if forged == nil, length != nil, !Pattern.matches(question.seed, offset: received, bytes) {
            flaws.append(.wrongBody("\(bytes.count) bytes at \(received) are not its own"))
        }
        received += bytes.count
    }

    mutating func trailers() {
        if !hasHead || isOver { flaws.append(.disorder("trailers \(isOver ? "behind the end" : "before the head")")) }
    }

    mutating func end(isComplete: Bool) {
        if isOver { flaws.append(.disorder("a second end")) }
        isOver = true
        guard isComplete, forged == nil else { return }
        if !hasHead { flaws.append(.disorder("success without a head")) }
        if question.method == "HEAD" {
            if received != 0 { flaws.append(.wrongBody("\(received) bytes for HEAD")) }
        } else if let length {
            if received != length { flaws.append(.wrongBody("\(received) bytes of \(length) taken for complete")) }
        } else {
            flaws.append(.wrongBody("\(received) bytes taken for complete that cannot be"))
        }
    }
}
