// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import Tern

extension URLRequest {
    /// Seconds without a byte while the request is under way; 0 or less for none. What sets it sets the request's other limits to
    /// their defaults, unless they are set already.
    public var timeoutInterval: TimeInterval {
        get { timeouts.map { $0.idle.map { $0 / .seconds(1) } ?? .infinity } ?? 60 }
        set {
            var limits = timeouts ?? Timeouts()
            limits.idle = newValue > 0 && newValue < 9e9 ? .seconds(newValue) : nil
            timeouts = limits
        }
    }
}
