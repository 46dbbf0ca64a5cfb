// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// The response to a request of a `RequestSender`.
struct SideResponse: Sendable {
    /// 200…299.
    let statusCode: Int
    let body: Data
}
