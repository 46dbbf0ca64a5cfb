// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernLock

/// A question to a retrier. The first answer counts. If the last reference to the question is released without an
/// answer, the answer is no.
final class RetryQuestion: Sendable {
    /// Released with the first answer: a retrier may keep the question.
    private let receive: Lock<RetryAnswer?>

    init(_ receive: @escaping RetryAnswer) { self.receive = Lock(receive) }

    deinit { answer(false, after: 0) }

    func answer(_ retries: Bool, after delay: TimeInterval) {
        let receive = receive.withLock { $0.take() }
        receive?(retries, delay)
    }
}
