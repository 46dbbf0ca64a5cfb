// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization

/// A question to a retrier. The first answer counts. If the last holder of the question releases it without an answer,
/// the answer is no.
final class RetryQuestion: Sendable {
    private let isAnswered = Atomic<Bool>(false)
    private let take: @Sendable (Bool, TimeInterval) -> Void

    init(_ take: @escaping @Sendable (Bool, TimeInterval) -> Void) { self.take = take }

    deinit { answer(false, after: 0) }

    func answer(_ retries: Bool, after delay: TimeInterval) {
        if !isAnswered.exchange(true, ordering: .relaxed) { take(retries, delay) }
    }
}
