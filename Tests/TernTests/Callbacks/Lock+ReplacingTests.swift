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

    private struct Parts {
        var reader: Reader?
        let other = "other"
    }

    private final class PartsOwner: Sendable {
        let parts = Lock(Parts())
    }

    @Test func `the old part may use the lock while it is released, and the other parts stay`() {
        let owner = PartsOwner()
        let journal = Journal()
        let reader = Reader { [weak owner] in
            journal.note(owner?.parts.withLock { $0.reader == nil ? $0.other : "held" } ?? "gone")
        }
        owner.parts.replace(\.reader, with: consume reader)
        owner.parts.replace(\.reader, with: nil)
        #expect(journal.entries == ["other"])
    }
}
