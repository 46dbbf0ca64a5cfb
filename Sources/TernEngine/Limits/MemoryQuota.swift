// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// Bounds the memory of all bodies that are being collected at a time, over the sessions whose
/// ``SessionConfiguration/memoryQuota`` it is: one quota for the process keeps a thousand servers from filling its memory
/// together, though each body is within ``SessionConfiguration/maximumCollectedBodySize``.
///
/// Each byte counts as it arrives, decoded, until the body is handed over to the caller, or the request fails. The request
/// whose next bytes would exceed the quota fails with ``SessionError/TransferFailure/memoryQuotaExceeded(limit:)``, and
/// returns all of its bytes; the others go on. Bodies that are streamed or written into files do not count: a slow reader
/// holds the server back instead. The model is gRPC's `ResourceQuota`.
///
/// Any thread.
public final class MemoryQuota: Sendable {
    /// The number of bytes that there may be; 0 or more.
    public let limit: Int
    private let count = Atomic(0)

    /// - Parameter limit: in bytes; a negative value counts as zero.
    public init(limit: Int) { self.limit = max(0, limit) }

    /// The number of bytes that there are.
    public var used: Int { count.load(ordering: .relaxed) }

    /// False if that would exceed the limit.
    fileprivate func take(_ more: Int) -> Bool {
        var (isTaken, used) = (false, used)
        while !isTaken {
            guard more <= limit - used else { return false }
            (isTaken, used) = count.weakCompareExchange(expected: used, desired: used + more, ordering: .relaxed)
        }
        return true
    }

    fileprivate func release(_ less: Int) { count.subtract(less, ordering: .relaxed) }
}

/// How large a collected body may become.
package struct BodyLimits: Sendable {
    /// In bytes.
    let size: Int
    /// Nil for no quota.
    let quota: MemoryQuota?

    /// - Parameter size: a negative value counts as zero.
    package init(size: Int, quota: MemoryQuota? = nil) {
        self.size = max(0, size)
        self.quota = quota
    }
}

/// What one body has of a quota, until it is released. Referenced by one body, which one thread uses at a time.
final class MemoryQuotaShare: @unchecked Sendable {
    private let quota: MemoryQuota
    private var count = 0

    init(of quota: MemoryQuota) { self.quota = quota }

    deinit { quota.release(count) }

    /// False if the quota has no more.
    func take(_ more: Int) -> Bool {
        guard quota.take(more) else { return false }
        count += more
        return true
    }
}
