// SPDX-License-Identifier: Apache-2.0

/// Of the questions of one task at most one is open.
struct Inquiry {
    var count: UInt64 = 0
    /// 0 if none is.
    var open: UInt64 = 0
    var isBeingAsked = false
    /// Given while it was being asked.
    var answer: GivenAnswer?
    /// Sources that have come with answers, which are finished once however often they are given.
    private var given: [any BodySource] = []

    /// False if it was given before.
    mutating func isNew(_ source: any BodySource) -> Bool {
        if given.contains(where: { $0 === source }) { return false }
        given.append(source)
        return true
    }
}
