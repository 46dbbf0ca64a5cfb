// SPDX-License-Identifier: Apache-2.0
import TernTLS

/// The revocation status of one certificate, as `tern trust` prints it.
struct RevocationReport: Encodable {
    /// `good`, `revoked`, `unknown` or `undetermined`.
    let status: String
    /// `staple`, `ocsp` or `crl`; nil if the status is unknown.
    let source: String?
    /// Until when it is good, or since when it is revoked (RFC 3339).
    let time: String?

    init(_ finding: RevocationFinding) {
        source = finding.source?.rawValue
        (status, time) =
            switch finding.status {
            case .good(let until): ("good", Timestamp.rfc3339(until))
            case .revoked(let at): ("revoked", at.map(Timestamp.rfc3339))
            case .unknown: ("unknown", nil)
            case .undetermined: ("undetermined", nil)
            }
    }

    private enum CodingKeys: String, CodingKey {
        case status, source, time
    }

    /// The synthesised encoding would omit nil values.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(status, forKey: .status)
        try container.encode(source, forKey: .source)
        try container.encode(time, forKey: .time)
    }

    /// Such as `good until 2030-01-01T00:00:00Z, by ocsp`.
    var text: String {
        let moment = time.map { (status == "good" ? " until " : " since ") + $0 } ?? ""
        return status + moment + (source.map { ", by " + $0 } ?? "")
    }
}
