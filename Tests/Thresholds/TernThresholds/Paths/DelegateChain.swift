// SPDX-License-Identifier: Apache-2.0
import Dispatch
import TernEngine

/// Delegate tasks: each begins when the one before has completed.
final class DelegateChain: SessionTaskDelegate, @unchecked Sendable {
    // Touched by one callback after the other, all on the one reactor; `failure` is read when the last has signalled.
    private let session: Session
    private let request: URLRequest
    private let answer: Origins.Answer
    private let done = DispatchSemaphore(value: 0)
    private var left: Int
    private var status = 0
    private var size = 0
    private var failure: (any Error)?

    static func send(_ count: Int, _ answer: Origins.Answer) throws {
        let chain = DelegateChain(count, answer)
        chain.begin()
        chain.done.wait()
        if let failure = chain.failure { throw failure }
    }

    private init(_ count: Int, _ answer: Origins.Answer) {
        session = Session(configuration: answer.configuration)
        Lasting.keep(session)
        request = URLRequest(url: answer.url)
        self.answer = answer
        left = count
    }

    private func begin() {
        (status, size) = (0, 0)
        left -= 1
        session.dataTask(with: request, delegate: self).resume()
    }

    func task(_ task: SessionTask, didReceive response: HTTPURLResponse) { status = response.statusCode }

    func task(_ task: SessionTask, didReceive bytes: Span<UInt8>) { size += bytes.count }

    func task(_ task: SessionTask, didCompleteWith error: SessionError?) {
        do {
            if let error { throw error }
            try answer.check(status, size)
            if left > 0 { begin() } else { done.signal() }
        } catch {
            failure = error
            done.signal()
        }
    }
}
