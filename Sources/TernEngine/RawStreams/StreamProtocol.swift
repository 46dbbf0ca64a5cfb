// SPDX-License-Identifier: Apache-2.0
package import TernIO

/// Speaks a protocol over a raw stream, in place of reads and writes. Everything runs on the loop's thread.
///
/// In each tick the stream hands over what has arrived, sends what there is to send, and calls `endTick()`.
package protocol StreamProtocol: AnyObject, Sendable {
    /// The number of bytes that it would take now; 0 for none. A peer that sends more waits.
    var wanted: Int { get }
    /// Takes the first of these bytes, and returns how many: fewer than all if the rest must wait.
    func receive(_ bytes: Span<UInt8>) -> Int
    /// The peer has ended its half of the stream.
    func receiveEnd()
    /// The stream ends as soon as the call that is running returns: the rest of its bytes is of no use.
    func stopReceiving()

    /// Whether there is something to send.
    var hasUnsent: Bool { get }
    /// Lends what is to be sent next to `send`, which returns how many bytes of it were sent.
    func lendUnsent(_ send: (Span<UInt8>) -> Int)
    /// Nothing can be sent any more. What the peer sent before is still received.
    func sendingFailed(_ reason: SessionError.Reason)

    /// The work of the tick is done, or the stream has ended: whoever waits for it is told.
    func endTick()
    /// Whether it can go on without further bytes.
    var hasMore: Bool { get }
    /// When `timePassed` is to be called.
    var deadline: MonotonicInstant? { get }
    func timePassed(_ now: MonotonicInstant)

    /// How the stream ends; nil while it does not.
    var ending: StreamEnding? { get }
    /// The stream has ended. Called once, and last.
    func ended(_ error: SessionError?)
}

/// How a protocol ends its stream.
package struct StreamEnding {
    /// What has failed; nil for nothing.
    package let reason: SessionError.Reason?
    /// Whether the connection is closed as usual, rather than reset.
    package let isOrderly: Bool

    package init(_ reason: SessionError.Reason? = nil, isOrderly: Bool = true) {
        (self.reason, self.isOrderly) = (reason, isOrderly)
    }
}
