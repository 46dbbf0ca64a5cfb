// SPDX-License-Identifier: Apache-2.0
import Glibc
import TernTLS
import Testing

@testable import TernEngine
@testable import TernIO

@Suite struct TransportErrorTests {
    @Test func `a system error is a lost connection, with its number`() {
        let error = SystemCallError(.recv, code: ECONNRESET)
        guard case .transfer(.connectionLost(error?)) = TransportError.system(error).reason else {
            Issue.record("\(TransportError.system(error).reason)")
            return
        }
    }

    @Test func `a server that refuses the client after the handshake was not connected to`() {
        let alert = TLSAlert(code: 116)
        #expect(TransportError.tls(TLSError(.clientCertificateRequired(alert))).reason.kind == .tls)
        guard case .connecting(.insecure) = TransportError.tls(TLSError(.clientCertificateRequired(alert))).reason,
            case .transfer(.tls) = TransportError.tls(TLSError(.alert(alert))).reason
        else {
            Issue.record("another reason")
            return
        }
    }
}
