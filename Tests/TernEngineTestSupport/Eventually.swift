// SPDX-License-Identifier: Apache-2.0

/// Returns whether the condition comes true within half a minute. For what announces itself to no waiter, such as a file.
func eventually(_ condition: () -> Bool) async -> Bool {
    let end = ContinuousClock.now + .seconds(30)
    while ContinuousClock.now < end {
        if condition() { return true }
        try? await Task.sleep(for: .milliseconds(1))
    }
    return condition()
}
