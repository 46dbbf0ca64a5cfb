// SPDX-License-Identifier: Apache-2.0

/// Random numbers that a seed repeats.
struct Draws: RandomNumberGenerator {
    private let seed: UInt64
    private var count: UInt64 = 0

    init(seed: UInt64) { self.seed = seed }

    mutating func next() -> UInt64 {
        count &+= 1
        return Pattern.word(seed, count)
    }

    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }

    mutating func one<Value>(of values: Value...) -> Value {
        values[Int.random(in: 0..<values.count, using: &self)]
    }
}
