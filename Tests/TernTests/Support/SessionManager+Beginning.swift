// SPDX-License-Identifier: Apache-2.0
import Tern

extension SessionManager {
    /// Starts a request when the chain of its calls is complete: over loopback the response may be faster.
    @discardableResult
    func begin<Kind: Request>(_ chain: (SessionManager) -> Kind) -> Kind {
        startRequestsImmediately = false
        let request = chain(self)
        startRequestsImmediately = true
        request.resume()
        return request
    }
}
