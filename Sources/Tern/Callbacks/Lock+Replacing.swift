// SPDX-License-Identifier: Apache-2.0
import TernLock

extension Lock where Value: Sendable {
    /// Sets the value, and releases the old one outside the lock: its `deinit` may be the user's.
    func replace(_ value: Value) {
        let old = withLock { current in
            let old = current
            current = value
            return old
        }
        withExtendedLifetime(old) {}
    }
}
