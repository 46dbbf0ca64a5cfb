// SPDX-License-Identifier: Apache-2.0

/// One ping's, in microseconds.
struct Delay: Sendable {
    /// From asking to being answered.
    var whole: Int32
    /// Of that, what the reactor worked, for any session, and not what the machine did.
    var work: Int32 = 0
    /// Of the whole, what is left without the time that the reactor waited for a processor.
    var awake: Int32

    init(from start: Int64, to end: Int64, _ before: ThreadTime?, _ after: ThreadTime?) {
        whole = Self.microseconds(end - start)
        awake = whole
        guard let before, let after else { return }
        work = min(whole, Self.microseconds(after.working - before.working))
        awake = max(0, whole - Self.microseconds(after.waiting - before.waiting))
    }

    private static func microseconds(_ nanoseconds: Int64) -> Int32 { Int32(clamping: nanoseconds / 1000) }
}
