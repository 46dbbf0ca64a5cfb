// SPDX-License-Identifier: Apache-2.0

/// An object on a shard's reactor outside of its pools, such as a raw stream or a task's timer. On the loop's thread.
protocol ShardMember: AnyObject {
    /// Ends it, for this reason.
    func end(_ reason: SessionError.Reason)
}

extension RawStream: ShardMember {
    func end(_ reason: SessionError.Reason) { end(StreamFailure(reason: reason)) }
}
