// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation
import Tern

/// As Alamofire's users write it: each request begins in the handler of the one before.
final class RequestChain: @unchecked Sendable {
    // Touched by one handler after the other; `failure` is read when the last has signalled.
    private let manager: SessionManager
    private let url: URL
    private let check: (Int, Int) throws -> Void
    private let done = DispatchSemaphore(value: 0)
    private var left: Int
    private var failure: (any Error)?

    static func send(_ count: Int, _ answer: Origins.Answer) throws {
        let chain = RequestChain(count, answer)
        chain.begin()
        chain.done.wait()
        if let failure = chain.failure { throw failure }
    }

    private init(_ count: Int, _ answer: Origins.Answer) {
        manager = SessionManager(configuration: answer.configuration)
        Lasting.keep(manager)
        (url, check) = (answer.url, answer.check)
        left = count
    }

    private func begin() {
        left -= 1
        manager.request(url).validate().responseData { response in
            do {
                if let error = response.error { throw error }
                try self.check(response.response?.statusCode ?? 0, response.data?.count ?? 0)
                if self.left > 0 { self.begin() } else { self.done.signal() }
            } catch {
                self.failure = error
                self.done.signal()
            }
        }
    }
}
