// SPDX-License-Identifier: Apache-2.0

@testable import TernEngine

/// Goes nowhere, for tests in which nothing is to be sent.
final class IdleSender: RequestSender {
    func send(
        _ request: URLRequest, sizeLimit: Int, timeLimit: Duration,
        completion: @escaping @Sendable (SideResponse?) -> Void
    ) { completion(nil) }
}
