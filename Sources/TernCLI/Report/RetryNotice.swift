// SPDX-License-Identifier: Apache-2.0
import TernEngine

/// Tells that a request is sent again, as curl does.
struct RetryNotice {
    /// What the last attempt has come to.
    let cause: String
    /// The kind of it, in curl's words.
    let problem: String
    let delay: Duration
    /// The number of retries that may follow, this one included.
    let left: Int

    /// - Parameter rule: the one that has the request sent again.
    init(_ error: any Error, _ failure: FailureReport?, after delay: Duration, left: Int, by rule: RetryRule) {
        (cause, problem) = (failure?.message ?? "\(error)", Self.problem(error) ?? Self.other(rule))
        (self.delay, self.left) = (delay, left)
    }

    /// The line that all but `-s` shows.
    var warning: String { "Warning: Problem \(problem). \(prospect)" }

    /// The line of `-v`.
    var verbose: String { "* \(cause). \(prospect)" }

    /// curl has the plural for one, too.
    private var prospect: String {
        "Will retry in \(DecimalText.short(delay / .seconds(1))) seconds. \(left) retries left."
    }

    private static func problem(_ error: any Error) -> String? {
        if case .transient? = error as? RefusedResponse { return ": HTTP error" }
        guard let reason = (error as? SessionError)?.reason else { return nil }
        if case .download(.unsuccessful) = reason { return ": HTTP error" }
        switch RetryPolicy.Failures(of: reason) {
        case .refused?: return ": connection refused"
        case .unresolved?, .timedOut?, .outOfTime?: return ": timeout"
        default: return nil
        }
    }

    /// A file that broke off is continued in any case; curl has no word for that.
    private static func other(_ rule: RetryRule) -> String {
        rule.policy.failures == .all ? "(retrying all errors)" : ": partial file"
    }
}
