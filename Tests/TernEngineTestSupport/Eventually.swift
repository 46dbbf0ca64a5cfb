// SPDX-License-Identifier: Apache-2.0

/// Returns whether the condition comes true within half a minute. For what announces itself to no waiter, such as a file.
func eventually(_ condition: () -> Bool) async -> Bool {
    for _ in 0..<3000 {
        if condition() { return true }
        try? await Task.sleep(for: .milliseconds(10))
    }
    return false
}
