// SPDX-License-Identifier: Apache-2.0
import TernSystem
import TernTLS

/// Why a transport could not transfer bytes.
enum TransportError: Error {
    case system(SystemCallError)
    case tls(TLSError)

    var reason: SessionError.Reason {
        switch self {
        case .system(let error): .transfer(.connectionLost(error))
        case .tls(let error): .tls(error)
        }
    }
}

extension SessionError.Reason {
    /// A TLS failure after the handshake. In TLS 1.3 a client's handshake is complete before the server refuses its
    /// certificate.
    static func tls(_ error: TLSError) -> SessionError.Reason {
        if case .clientCertificateRequired = error.reason { return .connecting(.insecure(error)) }
        return .transfer(.tls(error))
    }
}
