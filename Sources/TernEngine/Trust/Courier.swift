// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// Takes the requests that trust has to ask to where they go: responders, places with revocation lists, collectors of
/// reports.
///
/// Whoever is the last to let go of a courier ends what is under way with it.
protocol Courier: AnyObject, Sendable {
    /// Sends `request` and calls `completion` once, on any thread, with what came back: nil unless it came whole within
    /// `timeLimit`, was a success (2xx) and has a body of at most `sizeLimit` bytes.
    func send(
        _ request: URLRequest, sizeLimit: Int, timeLimit: Duration,
        completion: @escaping @Sendable (CourierReply?) -> Void)
}
