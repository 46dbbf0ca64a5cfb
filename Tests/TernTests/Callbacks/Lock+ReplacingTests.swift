// SPDX-License-Identifier: Apache-2.0
import TernLock
import Testing

@testable import Tern

@Suite struct LockReplacingTests {
    private final class Reader: Sendable {
        let read: @Sendable () -> Void

        init(_ read: @escaping @Sendable () -> Void) { self.read = read }

        deinit { read() }
    }

    private final class Owner: Sendable {
        let value = Lock<Reader?>(nil)
    }

    @Test func `the old value may use the lock while it is released`() {
        let owner = Owner()
        let journal = Journal()
        owner.value.replace(Reader { [weak owner] in journal.note("\(owner?.value.withLock { $0 == nil } ?? false)") })
        owner.value.replace(nil)
        #expect(journal.entries == ["true"])
    }
}
