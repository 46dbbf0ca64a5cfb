// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

extension TLSSession {
    /// Returns the reason why the handshake failed: a refusal by this client, a limit, the peer's alert, or OpenSSL's
    /// errors.
    func handshakeFailure() -> TLSError {
        let errors = OpenSSLError.drain()
        if let failure = callbacks.verification.refusal {
            return TLSError(.trust(failure), openSSL: errors)
        }
        if let limit = crossedLimit(in: errors) {
            let failure = TrustFailure(.limit(limit), host: callbacks.verification.host, seen: [])
            return TLSError(.trust(failure), openSSL: errors)
        }
        return TLSError(alertReason(in: errors) ?? .handshakeFailed, openSSL: errors)
    }

    /// The limit that the list exceeded before it was read.
    private func crossedLimit(in errors: [OpenSSLError]) -> EvaluationLimit? {
        if callbacks.hasTooManyCertificates { return .certificates }
        let isTooLong = errors.contains {
            $0.libraryNumber == ERR_LIB_SSL && $0.reasonNumber == SSL_R_EXCESSIVE_MESSAGE_SIZE
        }
        return unsafe isTooLong && SSL_get_state(ssl) == TLS_ST_CR_CERT ? .listSize : nil
    }

    /// Returns the reason why no record could be opened.
    func recordFailure() -> TLSError {
        let errors = OpenSSLError.drain()
        return TLSError(alertReason(in: errors) ?? .protocolViolation, openSSL: errors)
    }

    /// The peer's alert, translated if it is about a client certificate that was requested and is not configured.
    private func alertReason(in errors: [OpenSSLError]) -> TLSError.Reason? {
        guard let alert = errors.lazy.compactMap(TLSAlert.init).first else { return nil }
        let isMissed = callbacks.wasAskedForCertificate && !hasIdentity && alert.mayMissCertificate
        return isMissed ? .clientCertificateRequired(alert) : .alert(alert)
    }
}
