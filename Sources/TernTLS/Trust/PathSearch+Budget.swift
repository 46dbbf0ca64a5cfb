// SPDX-License-Identifier: Apache-2.0

extension PathSearch {
    /// The work one evaluation may cause. Honest servers send a handful of certificates and need a handful of steps.
    struct Budget {
        /// Verifications of signatures, in units of some 20 to 100 µs.
        private var signatures = 400
        /// Comparisons of a certificate with a possible issuer, well below a microsecond each.
        private var steps = 10_000
        /// Names compared with constraints, as estimated from sizes; some 20 ns each.
        private var comparisons = 1 << 22

        /// Counts the validation of a path at what it may cost at most; false if that is not left.
        mutating func spend(on path: [Certificate]) -> Bool {
            signatures -= max(1, path.dropFirst().reduce(0) { $0 + $1.verificationCost })
            comparisons -= path.indices.reduce(0) { $0 + path[$1].nameComparisons(below: path[..<$1]) }
            return signatures >= 0 && comparisons >= 0
        }

        mutating func spendStep() -> Bool {
            steps -= 1
            return steps >= 0
        }
    }
}
