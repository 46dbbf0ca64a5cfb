// SPDX-License-Identifier: Apache-2.0

extension [Double] {
    /// Nil of nothing.
    var median: Double? {
        guard !isEmpty else { return nil }
        let sorted = sorted()
        let middle = count / 2
        return count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    }
}

extension Double? {
    /// This figure as a multiple of another one; nil where there is nothing to compare.
    func ratio(to baseline: Double?) -> Double? {
        guard let figure = self, let baseline, baseline > 0 else { return nil }
        return figure / baseline
    }
}
