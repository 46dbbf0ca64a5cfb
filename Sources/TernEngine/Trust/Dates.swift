// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials
public import TernTLS

// The times of certificates, policies and lists as Foundation's dates. The modules below have seconds since 1970, which cost no
// import and compare exactly.

extension X509Certificate {
    /// `notBefore` as a date.
    public var notBeforeDate: Date? { notBefore.map(Date.init(seconds:)) }
    /// `notAfter` as a date.
    public var notAfterDate: Date? { notAfter.map(Date.init(seconds:)) }
}

extension CertificateRevocationList {
    /// `thisUpdate` as a date.
    public var thisUpdateDate: Date? { thisUpdate.map(Date.init(seconds:)) }
    /// `nextUpdate` as a date.
    public var nextUpdateDate: Date? { nextUpdate.map(Date.init(seconds:)) }
}

extension OCSPResponse {
    /// `nextUpdate` as a date.
    public var nextUpdateDate: Date? { nextUpdate.map(Date.init(seconds:)) }
}

extension DistrustedCertificates {
    /// `validUntil` as a date.
    public var validUntilDate: Date? { validUntil.map(Date.init(seconds:)) }
}

extension TransparencyLogList {
    /// `time` as a date.
    public var date: Date? { time.map(Date.init(seconds:)) }
}

extension ServerTrust {
    /// `time` as a date, in whole seconds.
    public var date: Date {
        get { Date(seconds: time) }
        set { time = newValue.seconds }
    }
}

extension ServerTrustResult {
    /// `time` as a date.
    public var date: Date { Date(seconds: time) }
}

extension PinSet {
    /// `expires` as a date, in whole seconds.
    public var expiryDate: Date? {
        get { expires.map(Date.init(seconds:)) }
        set { expires = newValue?.seconds }
    }

    /// Whether the set has expired at `date`.
    public func isExpired(at date: Date) -> Bool { isExpired(at: date.seconds) }

    /// The warnings at `date`.
    public func warnings(at date: Date) -> [Warning] { warnings(at: date.seconds) }
}

extension PolicyFile {
    /// All problems of the policy at `date`.
    public func findings(at date: Date) -> [Finding] { findings(at: date.seconds) }

    /// All problems that will cause trouble later than `date`.
    public func warnings(at date: Date) -> [(pinSet: PinSet, warning: PinSet.Warning)] { warnings(at: date.seconds) }
}

extension TrustFiles.Expiry {
    /// `time` as a date.
    public var date: Date { Date(seconds: time) }
}

extension Date {
    fileprivate init(seconds: Int64) { self.init(timeIntervalSince1970: Double(seconds)) }

    /// Rounded down. A date beyond the range of `Int64`, or none, is its nearest end.
    fileprivate var seconds: Int64 {
        let seconds = timeIntervalSince1970.rounded(.down)
        return Int64(exactly: seconds) ?? (seconds < 0 ? .min : .max)
    }
}
