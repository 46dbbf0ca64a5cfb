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

    init(_ retry: RetryMetrics, _ failure: FailureReport, of request: URLRequest) {
        let policy = request.retryPolicy ?? .never
        (cause, problem) = (failure.message, Self.problem(retry.cause) ?? Self.other(policy))
        (delay, left) = (retry.delay, policy.maximumRetries - retry.number + 1)
    }

    /// The line that all but `-s` shows.
    var warning: String { "Warning: Problem \(problem). \(prospect)" }

    /// The line of `-v`.
    var verbose: String { "* \(cause). \(prospect)" }

    /// curl has the plural for one, too.
    private var prospect: String {
        "Will retry in \(DecimalText.short(delay / .seconds(1))) seconds. \(left) retries left."
    }

    private static func problem(_ cause: RetryMetrics.Cause) -> String? {
        guard case .failure(let reason) = cause else { return ": HTTP error" }
        switch RetryPolicy.Failures(of: reason) {
        case .refused?: return ": connection refused"
        case .unresolved?, .timedOut?, .outOfTime?: return ": timeout"
        default: return nil
        }
    }

    /// A file that broke off is continued in any case; curl has no word for that.
    private static func other(_ policy: RetryPolicy) -> String {
        policy.failures == .all ? "(retrying all errors)" : ": partial file"
    }
}
