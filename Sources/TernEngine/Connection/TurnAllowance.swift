// SPDX-License-Identifier: Apache-2.0
import TernIO

/// What one connection may have its reactor do before the others get their turn: octets received, and a price in octets
/// for what costs more than its octets tell. Work and not time, so that what happens does not depend on how busy the
/// machine is.
struct TurnAllowance {
    /// As much as is received at once: half a millisecond or so, whatever it holds.
    static let octets = ReactorLoop.bufferSize
    /// One event of the HTTP decoder, told to a delegate.
    static let event = 256
    /// One more chunk whose content is joined to what is told; it may hold one byte.
    static let chunk = 32
    /// One TLS record, which may hold one byte: a microsecond or two.
    static let record = 1024
    /// One TLS message without application data: keys are derived anew, or a session is copied.
    static let message = 16 * 1024

    /// What all that are ready in one turn may have together, but for `least`: a few milliseconds.
    private static let shared = 16 * octets
    /// What each of them has all the same: a full TLS record and what belongs to it.
    static let least = 32 * 1024

    private(set) var left: Int
    private var settledCount: UInt64

    /// For one of `readyCount` connections that are ready at once; it has received this number of bytes in its life.
    init(among readyCount: Int, receivedCount: UInt64 = 0) {
        left = max(Self.least, min(Self.octets, Self.shared / max(1, readyCount)))
        settledCount = receivedCount
    }

    var isSpent: Bool { left <= 0 }

    mutating func spend(_ price: Int) { left -= price }

    /// Pays for the octets that have been received and worked off.
    mutating func settle(_ receivedCount: UInt64) {
        left -= Int(clamping: receivedCount &- settledCount)
        settledCount = receivedCount
    }
}
