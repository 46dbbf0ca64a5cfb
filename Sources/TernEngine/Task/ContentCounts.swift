// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// The numbers of content bytes that were received and delivered, and that were sent. The reactor's thread writes them,
/// any thread reads them.
struct ContentCounts: ~Copyable {
    let received = Atomic<Int64>(0)
    let sent = Atomic<Int64>(0)
}
