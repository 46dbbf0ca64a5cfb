// SPDX-License-Identifier: Apache-2.0

/// Handles the readiness of a registration: the only protocol through which this module calls its users.
public protocol ReadinessHandler: AnyObject {
    /// Called on the reactor's thread. `readiness` may be outdated: a handler tries the transfer and relies on its
    /// result.
    func ready(_ readiness: Readiness)
}
