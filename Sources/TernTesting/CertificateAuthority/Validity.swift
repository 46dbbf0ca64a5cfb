// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The validity period of a certificate, both ends included.
public struct Validity: Sendable, Hashable {
    /// Seconds since 1970-01-01T00:00:00Z.
    public var notBefore: Int64
    /// Seconds since 1970-01-01T00:00:00Z.
    public var notAfter: Int64

    /// A period between two times, which may be reversed.
    public init(notBefore: Int64, notAfter: Int64) {
        self.notBefore = notBefore
        self.notAfter = notAfter
    }

    /// A period in days from now; negative is the past.
    public static func days(_ first: Int, to last: Int) -> Validity {
        let now = Int64(time(nil))
        return Validity(notBefore: now + Int64(first) * 86400, notAfter: now + Int64(last) * 86400)
    }

    /// From yesterday until a year from now.
    public static var current: Validity { days(-1, to: 365) }
    /// Ended yesterday.
    public static var expired: Validity { days(-30, to: -1) }
    /// Begins tomorrow.
    public static var future: Validity { days(1, to: 30) }
}
