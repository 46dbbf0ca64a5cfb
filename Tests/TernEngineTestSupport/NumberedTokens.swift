// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import TernLock

@testable import TernEngine

/// Has another token after each refusal.
final class NumberedTokens: RequestAuthentication {
    let refusingStatusCodes: Set<Int> = [401]
    private let number = Lock<Int32>(1)

    func authenticated(
        _ request: URLRequest
    ) async throws(AuthenticationError) -> (request: URLRequest, credentialNumber: Int32)? {
        var request = request
        let number = number.withLock { $0 }
        request.headers["Authorization"] = "Bearer \(number)"
        return (request, number)
    }

    func refused(credentialNumber: Int32, by origin: HTTPOrigin) -> Bool {
        number.withLock { $0 = max($0, credentialNumber + 1) }
        return true
    }
}
