// SPDX-License-Identifier: Apache-2.0

/// Delays, counted and not stored: memory is checked, and a soak may run for hours.
struct LatencyCounter: Sendable {
    /// By microseconds up to 63, then 32 to an octave.
    private var counts = [Int](repeating: 0, count: place(of: .max) + 1)
    private(set) var count = 0
    private(set) var worst: Int32 = 0
    private(set) var work: Int32 = 0
    private(set) var awake: Int32 = 0

    mutating func add(_ delay: Delay) {
        counts[Self.place(of: delay.whole)] += 1
        count += 1
        worst = max(worst, delay.whole)
        work = max(work, delay.work)
        awake = max(awake, delay.awake)
    }

    /// In microseconds, three per cent too little at most: what 99 in 100 did not exceed.
    var p99: Int32 {
        var left = count * 99 / 100
        for place in counts.indices {
            left -= counts[place]
            if left < 0 { return Self.least(at: place) }
        }
        return 0
    }

    private static func place(of microseconds: Int32) -> Int {
        let value = max(0, Int(microseconds))
        if value < 64 { return value }
        let octave = Int.bitWidth - 1 - value.leadingZeroBitCount
        return 64 + (octave - 6) * 32 + (value >> (octave - 5)) % 32
    }

    private static func least(at place: Int) -> Int32 {
        if place < 64 { return Int32(place) }
        let (octave, part) = (place - 64).quotientAndRemainder(dividingBy: 32)
        return Int32((32 + part) << (octave + 1))
    }
}
