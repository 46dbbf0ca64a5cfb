// SPDX-License-Identifier: Apache-2.0

extension [Measurement] {
    /// The median of each round's own ratio to the sum of what `parts` took in it; nil where there is nothing to
    /// compare.
    func ratio(to parts: [[Measurement]], _ figure: (Measurement) -> Double) -> Double? {
        guard parts.allSatisfy({ $0.count == count }) else { return nil }
        return indices.compactMap { round in
            let others = parts.map { $0[round] }
            guard self[round].requests > 0, others.allSatisfy({ $0.requests > 0 }) else { return nil }
            return figure(self[round]) / others.reduce(0) { $0 + figure($1) }
        }.median
    }
}
