// SPDX-License-Identifier: Apache-2.0
@testable import TernEngine
@testable import TernIO

/// One thread for work, which stands still for as long as a test says: a disk that hangs.
final class SuspendableThreads: Sendable {
    let threads = WorkThreads(maximum: 1)
    private let resumed = Semaphore()

    /// What comes from now on waits.
    func suspend() { threads.run { [resumed] in resumed.wait() } }

    func resume() { resumed.signal() }
}
