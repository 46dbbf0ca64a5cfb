// SPDX-License-Identifier: Apache-2.0

/// The one protocol through which this module calls up.
public protocol ReadinessHandler: AnyObject {
    /// Called on the reactor's thread. `readiness` may be out of date: a handler transfers and believes the result.
    func ready(_ readiness: Readiness)
}
