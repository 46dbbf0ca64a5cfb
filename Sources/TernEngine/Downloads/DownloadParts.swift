// SPDX-License-Identifier: Apache-2.0

/// How a download is divided into parts that are received at once, each on a connection of its own.
///
/// The first request is for the whole, as without parts. If the response shows that ranges can be requested, the other
/// parts are requested beside it, on condition that the resource is the same; the first response is ended where the next
/// part begins.
public struct DownloadParts: Sendable, Hashable {
    /// More than a server is likely to welcome, and a bound on what a download costs.
    private static let mostParts = 64

    /// The maximum number of parts, the first one included; at most 64 count.
    public var maximum: Int
    /// The minimum size of a part in bytes: a shorter file has fewer parts.
    public var minimumSize: Int64

    /// Creates a division into at most `maximum` parts of at least `minimumSize` bytes, 8 MB by default.
    public init(maximum: Int = 4, minimumSize: Int64 = 8 << 20) {
        self.maximum = maximum
        self.minimumSize = minimumSize
    }

    /// The parts of `rest` but the first one, in order. Empty if there is only one.
    func others(of rest: Range<Int64>) -> [Range<Int64>] {
        let length = rest.upperBound - rest.lowerBound
        let count = min(Int64(min(maximum, Self.mostParts)), length / max(1, minimumSize))
        guard count > 1 else { return [] }
        let size = length / count
        return (1..<count).map { number in
            let start = rest.lowerBound + number * size
            return start..<(number == count - 1 ? rest.upperBound : start + size)
        }
    }
}
