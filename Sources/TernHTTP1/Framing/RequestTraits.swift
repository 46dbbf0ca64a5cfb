// SPDX-License-Identifier: Apache-2.0

/// The facts of a request that are needed to read its response.
struct RequestTraits {
    var isHead = false
    var isConnect = false
    /// The request had an `Upgrade` field, so 101 may answer it.
    var asksUpgrade = false
    /// The request had `Connection: close`.
    var asksClose = false
    /// The request had `Expect: 100-continue`.
    var expectsContinue = false

    /// Adds the traits of other fields of the same request.
    mutating func formUnion(_ other: RequestTraits) {
        asksUpgrade = asksUpgrade || other.asksUpgrade
        asksClose = asksClose || other.asksClose
        expectsContinue = expectsContinue || other.expectsContinue
    }
}
