// SPDX-License-Identifier: Apache-2.0

/// A connection of no pool's that lives on a shard's reactor, as far as the shard knows it. On the loop's thread.
protocol Guest: AnyObject {
    /// Ends it, for this reason.
    func end(_ reason: EngineError.Reason)
}

extension RawStream: Guest {
    func end(_ reason: EngineError.Reason) { end(StreamFailure(reason: reason)) }
}
