// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// What a courier brings back.
struct CourierReply: Sendable {
    /// 200…299.
    let statusCode: Int
    let body: Data
}
