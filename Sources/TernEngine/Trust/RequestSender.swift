// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// Sends the requests of trust evaluation: to OCSP responders, to servers of revocation lists, to collectors of
/// reports.
///
/// Releasing the last reference to a sender cancels its requests.
protocol RequestSender: AnyObject, Sendable {
    /// Sends `request` and calls `completion` once, on any thread, with the response: nil unless it was complete within
    /// `timeLimit`, was a success (2xx) and has a body of at most `sizeLimit` bytes.
    func send(
        _ request: URLRequest, sizeLimit: Int, timeLimit: Duration,
        completion: @escaping @Sendable (SideResponse?) -> Void)
}

/// The response to a request of a `RequestSender`.
struct SideResponse: Sendable {
    /// 200…299.
    let statusCode: Int
    let body: Data
}
