// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL
import Testing

@testable import TernTLS

struct TLSErrorTests {
    @Test(arguments: [
        (TLSError.Reason.invalidConfiguration(.applicationProtocol("")), "protocol \"\" is not 1 to 255 bytes long"),
        (.alert(TLSAlert(code: 42)), "the TLS alert bad_certificate"),
        (.clientCertificateRequired(TLSAlert(code: 40)), "none is configured (TLS alert handshake_failure)"),
        (.tooManyMessages(limit: 32), "more than 32 messages without application data"),
        (.invalidHost("a b"), "\"a b\" is neither a DNS name nor an IP address"),
        (.invalidConfiguration(.versions(minimum: .v1_3, maximum: .v1_2)), "between TLSv1.3 and TLSv1.2"),
        (.invalidConfiguration(.cipherList("x")), "\"x\" leaves no cipher suite of TLS 1.2"),
        (.invalidConfiguration(.cipherSuites("x")), "not a list of cipher suites of TLS 1.3, separated by colons"),
        (.invalidConfiguration(.groups("x")), "\"x\" is not a list of groups for key exchange, separated by colons"),
        (.invalidConfiguration(.identity), "the client identity cannot be used in TLS"),
        (.handshakeFailed, "TLS handshake failed"), (.protocolViolation, "the peer broke the TLS protocol"),
        (.noPeerCertificate, "the server presented no certificate"),
        (.truncated, "the peer ended the connection without close_notify"),
        (.notEstablished, "the handshake is not complete"), (.closed, "the session is closed"),
        (.outOfResources, "OpenSSL could not allocate what it needs"),
    ])
    func `a description names the value at fault`(reason: TLSError.Reason, text: String) {
        #expect(TLSError(reason).description.hasSuffix(text))
    }

    @Test func `a host of the caller's makes no long message`() {
        #expect(TLSError(.invalidHost(String(repeating: "x", count: 10_000))).description.utf8.count < 200)
    }

    @Test func `OpenSSL's entries follow the reason`() {
        let entry = OpenSSLError(code: 1, library: "SSL routines", reason: "wrong version number", detail: "")
        #expect(
            TLSError(.handshakeFailed, openSSL: [entry]).description
                == "TLS handshake failed [SSL routines: wrong version number]")
    }

    @Test func `a refused server has its trust failure, and other errors have none`() {
        let failure = TrustFailure(.noCertificate, host: "a.test", seen: [])
        #expect(TLSError(.trust(failure)).trustFailure == failure)
        #expect(TLSError(.trust(failure)).description == "a.test is not trusted: the server presented no certificate")
        #expect(TLSError(.noPeerCertificate).trustFailure == nil)
    }
}

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

    @Test(arguments: [(42, "bad_certificate"), (0, "close_notify"), (116, "certificate_required"), (200, "number 200")])
    func `an alert is described by its name, or its number`(code: UInt8, text: String) {
        #expect(TLSAlert(code: code).description == text)
    }
}
