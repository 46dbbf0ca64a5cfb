// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernTesting
import Testing

@testable import TernCLI
@testable import TernTLS

@Suite struct RevocationReportTests {
    private let certificate: X509Certificate

    init() throws { certificate = try X509Certificate(pem: CertificateAuthority().certificatePEM) }

    private func report(_ status: RevocationFinding.Status, _ source: RevocationFinding.Source?) -> RevocationReport {
        RevocationReport(
            RevocationFinding(depth: 0, certificate: certificate, status: status, source: source, questions: []))
    }

    @Test func `a status is told with its time and its source`() {
        #expect(report(.good(until: 0), .ocsp).text == "good until 1970-01-01T00:00:00Z, by ocsp")
        #expect(report(.revoked(at: 0), .crl).text == "revoked since 1970-01-01T00:00:00Z, by crl")
        #expect(report(.revoked(at: nil), .staple).text == "revoked, by staple")
        #expect(report(.unknown, .ocsp).text == "unknown, by ocsp")
        #expect(report(.undetermined, nil).text == "undetermined")
    }

    @Test func `what is unknown is null in JSON, and not left out`() throws {
        #expect(
            try JSONReport.text(report(.undetermined, nil))
                == #"{"source":null,"status":"undetermined","time":null}"#)
    }
}
