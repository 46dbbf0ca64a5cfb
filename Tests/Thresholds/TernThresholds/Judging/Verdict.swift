// SPDX-License-Identifier: Apache-2.0

/// What is said of one figure beside its limit.
enum Verdict: String {
    case fine
    case exceeded = "EXCEEDED"
    /// So far below that the limit guards nothing any more.
    case loose = "fine, tighten the limit"
    /// The limit is another architecture's.
    case unjudged = "not judged"

    /// - Parameters:
    ///   - limit: as many as there were, and the allowance; a twentieth is for what a run does by chance.
    ///   - allowance: as much of the limit as need not be used; where the limit was recorded, chance may have made as
    ///     many more.
    init(count: Double, limit: Int, allowance: Int = 0) {
        let excess = count - Double(limit)
        self = excess > 0.05 ? .exceeded : excess < -0.5 - 2 * Double(allowance) ? .loose : .fine
    }

    /// - Parameter allowance: as much of the limit as need not be used.
    init(systemCalls: Double, limit: Double, allowance: Double) {
        self = systemCalls > limit ? .exceeded : systemCalls < limit - allowance - 0.5 ? .loose : .fine
    }

    init(instructions: Double, limit: Int) {
        let share = instructions / Double(limit)
        self = share > 1 ? .exceeded : share < 0.9 ? .loose : .fine
    }
}
