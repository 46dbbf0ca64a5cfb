// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// A courier's response.
struct CourierReply: Sendable {
    /// 200…299.
    let statusCode: Int
    let body: Data
}
