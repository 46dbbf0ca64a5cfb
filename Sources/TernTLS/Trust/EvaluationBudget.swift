// SPDX-License-Identifier: Apache-2.0

/// What an evaluation may still cost, in units of about a microsecond.
///
/// Units are counted from sizes before the work is done, and no clock is read: so a verdict never depends on how busy
/// the machine is. An evaluation that stays within the small allowance comes to the very verdict it would come to
/// within the large one; one that does not is begun again elsewhere, with the large one.
struct EvaluationBudget {
    private(set) var left: Int
    /// Whether something was left undone because it would have cost too much.
    private(set) var isExceeded = false

    /// For a whole evaluation.
    static var whole: EvaluationBudget { EvaluationBudget(EvaluationLimit.work.maximum) }
    /// For what may run between two looks at the sockets of everybody else: several times the work of common chains.
    static var onReactor: EvaluationBudget { EvaluationBudget(2500) }

    init(_ units: Int) { left = units }

    /// Takes the price of something that is to be done; false if it must not be done.
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
