// SPDX-License-Identifier: Apache-2.0

/// The work that an evaluation may still do, in units of about a microsecond.
///
/// Units are computed from sizes before the work is done, without reading a clock: so a verdict never depends on the
/// load of the machine. An evaluation that stays within the small allowance gives the same verdict as within the large
/// one; one that does not is started again on another thread, with the large one.
struct EvaluationBudget {
    private(set) var left: Int
    /// Whether some work was skipped because it would have exceeded the budget.
    private(set) var isExceeded = false

    /// For a whole evaluation.
    static var whole: EvaluationBudget { EvaluationBudget(EvaluationLimit.work.maximum) }
    /// For the work on a reactor between two polls of its sockets: several times the work of common chains.
    static var onReactor: EvaluationBudget { EvaluationBudget(2500) }

    init(_ units: Int) { left = units }

    /// Deducts the cost of work; returns false if the work must not be done.
    mutating func spend(_ units: Int) -> Bool {
        guard canSpend(units) else {
            isExceeded = true
            return false
        }
        left -= units
        return true
    }

    func canSpend(_ units: Int) -> Bool { !isExceeded && units <= left }
}
