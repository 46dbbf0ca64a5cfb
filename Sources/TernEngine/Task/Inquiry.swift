// SPDX-License-Identifier: Apache-2.0

/// Of the questions of one task at most one is open.
struct Inquiry {
    var count: UInt64 = 0
    /// 0 if none is.
    var open: UInt64 = 0
    var isBeingAsked = false
    /// Given while it was being asked.
    var answer: GivenAnswer?
}
