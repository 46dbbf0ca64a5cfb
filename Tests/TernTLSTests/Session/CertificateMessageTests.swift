// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL
import Testing

@testable import TernTLS

struct CertificateMessageTests {
    private static let limit = EvaluationLimit.certificates.handshakeMaximum

    /// A Certificate message with this many certificates of two bytes each.
    private func message(_ count: Int, version: Int32) -> [UInt8] {
        let entry: [UInt8] = version == TLS1_3_VERSION ? [0, 0, 2, 7, 7, 0, 1, 9] : [0, 0, 2, 7, 7]
        let list = Array(repeatElement(entry, count: count).joined())
        let body = (version == TLS1_3_VERSION ? [0] : []) + number(list.count) + list
        return [UInt8(SSL3_MT_CERTIFICATE)] + number(body.count) + body
    }

    private func number(_ value: Int) -> [UInt8] { [16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) } }

    private func isTooLong(_ bytes: [UInt8], version: Int32) -> Bool? {
        unsafe bytes.withUnsafeBytes { unsafe CertificateMessage($0, version: version)?.isTooLong }
    }

    @Test(arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
    func `a list is too long from one certificate beyond the limit on`(version: Int32) {
        #expect(isTooLong(message(0, version: version), version: version) == false)
        #expect(isTooLong(message(Self.limit, version: version), version: version) == false)
        #expect(isTooLong(message(Self.limit + 1, version: version), version: version) == true)
    }

    @Test(arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
    func `a message that is cut off anywhere is read without harm`(version: Int32) {
        let whole = message(3, version: version)
        for count in 0..<whole.count { #expect(isTooLong(Array(whole.prefix(count)), version: version) != true) }
        let lying = Array(whole.prefix(8)) + [0xff, 0xff, 0xff, 0xff]
        #expect(isTooLong(lying, version: version) == false)
    }

    @Test func `other messages are not looked at`() {
        #expect(isTooLong([UInt8(SSL3_MT_FINISHED), 0, 0, 2, 1, 1], version: TLS1_3_VERSION) == nil)
    }
}
