// SPDX-License-Identifier: Apache-2.0
import TernIO

/// Limits how often an ``AuthenticationInterceptor`` refreshes its credential.
public struct RefreshWindow: Sendable, Hashable {
    /// The length of the window, which ends at the present.
    public var interval: Duration
    /// The maximum number of refreshes within the window, 1 or more.
    public var maximumAttempts: Int

    /// Creates a window; 5 refreshes in 30 seconds by default, as in Alamofire 5.
    public init(interval: Duration = .seconds(30), maximumAttempts: Int = 5) {
        self.interval = interval
        self.maximumAttempts = maximumAttempts
    }

    /// Adds a refresh at `now` to `past`. Returns false, and adds none, if there were too many.
    func admits(_ now: MonotonicInstant, after past: inout [MonotonicInstant]) -> Bool {
        guard hasRoom(now, after: &past) else { return false }
        past.append(now)
        return true
    }

    /// Whether a refresh at `now` would be admitted.
    func hasRoom(_ now: MonotonicInstant, after past: inout [MonotonicInstant]) -> Bool {
        past.removeAll { $0.advanced(by: interval) <= now }
        return past.count < max(1, maximumAttempts)
    }
}
