// SPDX-License-Identifier: Apache-2.0

// URLSession's name for one of the `timeouts`.
extension URLRequest {
    /// The number of seconds without a byte in either direction after which the request fails: ``Timeouts/idle``. 0 or
    /// less, or infinity, sets no limit.
    ///
    /// Setting it on a request without ``timeouts`` sets the request's other limits to their defaults.
    public var timeoutInterval: Double {
        get { (timeouts ?? Timeouts()).idle.map { $0 / .seconds(1) } ?? .infinity }
        set {
            var limits = timeouts ?? Timeouts()
            limits.idle = newValue > 0 && newValue < 9e9 ? .seconds(newValue) : nil
            timeouts = limits
        }
    }
}
