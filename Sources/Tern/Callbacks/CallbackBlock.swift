// SPDX-License-Identifier: Apache-2.0
import TernLock

/// A block that runs once on the callback queue.
final class CallbackBlock: CallbackQueue.Source {
    private let body: Lock<(@Sendable () -> Void)?>

    init(_ body: @escaping @Sendable () -> Void) { self.body = Lock(body) }

    func performCallbacks() {
        let body = body.withLock { $0.take() }
        body?()
    }
}
