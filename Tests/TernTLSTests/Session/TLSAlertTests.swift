// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL
import Testing

@testable import TernTLS

struct TLSAlertTests {
    @Test func `an alert is read out of OpenSSL's error, and out of no other error`() {
        func error(_ library: Int32, _ reason: Int32) -> OpenSSLError {
            OpenSSLError(code: UInt(library) << 23 | UInt(reason), library: "", reason: "", detail: "")
        }
        #expect(TLSAlert(error(ERR_LIB_SSL, 1042)) == TLSAlert(code: 42))
        #expect(TLSAlert(error(ERR_LIB_SSL, 1000)) == .closeNotify)
        #expect(TLSAlert(error(ERR_LIB_SSL, 999)) == nil)
        #expect(TLSAlert(error(ERR_LIB_SSL, 1256)) == nil)
        #expect(TLSAlert(error(ERR_LIB_X509, 1042)) == nil)
    }

    @Test(arguments: [
        (116, true), (40, true), (42, true), (46, true), (0, false), (45, false), (48, false), (70, false),
    ])
    func `some alerts may miss a client certificate`(code: UInt8, mayMiss: Bool) {
        #expect(TLSAlert(code: code).mayMissCertificate == mayMiss)
    }

    @Test(arguments: [(42, "bad certificate (42)"), (0, "close notify (0)"), (200, "unknown (200)")])
    func `an alert is described by its name and its number`(code: UInt8, text: String) {
        #expect(TLSAlert(code: code).description == text)
    }
}
