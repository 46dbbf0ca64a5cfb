// SPDX-License-Identifier: Apache-2.0
package import TernLock

extension Lock where Value: Sendable {
    /// Sets the value, and releases the old one outside the lock: its `deinit` may run user code.
    package func replace(_ value: Value) { replace(\.self, with: value) }

    /// Sets a part of the value, and releases the old part outside the lock.
    package func replace<Part: Sendable>(_ path: WritableKeyPath<Value, Part>, with part: Part) {
        let old = withLock { value in
            let old = value[keyPath: path]
            value[keyPath: path] = part
            return old
        }
        withExtendedLifetime(old) {}
    }
}
