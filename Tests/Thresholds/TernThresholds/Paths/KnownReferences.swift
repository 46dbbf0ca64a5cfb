// SPDX-License-Identifier: Apache-2.0

/// As many reference operations as are said beforehand, so that one sees whether all are counted, and none twice.
enum KnownReferences {
    /// A retain, a release, a load of a weak reference, and the release of what was loaded.
    static let count = 4

    static func use(_ count: Int) throws {
        let holder = Holder()
        Lasting.keep(holder)
        // Safety: each retain has its release below.
        for _ in 0..<count {
            _ = unsafe Unmanaged.passRetained(holder)
            if holder.itself == nil { throw Failure("an object went away that is held") }
        }
        for _ in 0..<count { unsafe Unmanaged.passUnretained(holder).release() }
    }

    private final class Holder: @unchecked Sendable {
        // Used by one thread, never changed once it is made.
        private(set) weak var itself: Holder?

        init() { itself = self }
    }
}
