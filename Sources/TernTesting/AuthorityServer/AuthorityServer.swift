// SPDX-License-Identifier: Apache-2.0
// Safety: a request is freed where it was read, and its parts do not leave that place.
import CTernOpenSSL
internal import TernLock

/// What an authority publishes, on an origin of its own on 127.0.0.1: its certificate, an OCSP responder, and its
/// revocation list. Certificates name it if they are issued with its ``extensions``.
///
/// ```swift
/// let root = try CertificateAuthority()
/// let intermediate = try root.issueIntermediate()
/// let published = try AuthorityServer(of: intermediate)
/// let identity = try intermediate.issue(LeafRequest(extensions: published.extensions))
/// published.revoke(identity)
/// ```
/// Any thread may use it.
public final class AuthorityServer: Sendable {
    private final class Statuses: Sendable {
        let revoked = Lock<[(identity: Identity, time: Int64)]>([])
    }

    private let origin: ScriptedOrigin
    private let statuses: Statuses

    /// Starts the server: when the initialiser returns, it accepts connections.
    ///
    /// - Parameter authority: the issuer of the certificates that it answers for. All of them are good at first.
    /// - Throws: ``ScriptedOriginError`` if a socket or a thread cannot be created.
    public init(of authority: CertificateAuthority) throws(ScriptedOriginError) {
        let statuses = Statuses()
        self.statuses = statuses
        origin = try ScriptedOrigin { _, request in
            let revoked = statuses.revoked.withLock { $0 }
            let (type, body): (String, [UInt8]?) =
                switch request.target {
                case "/ca.der": ("application/pkix-cert", try? authority.certificateDER())
                case "/ca.crl":
                    ("application/pkix-crl", try? authority.revocationList(revoking: revoked.map(\.identity)))
                case "/ocsp": ("application/ocsp-response", authority.answer(to: request.body, revoked))
                default: ("", nil)
                }
            guard let body else { return [.respond(status: 404)] }
            return [.respond(fields: [(name: "Content-Type", value: type)], body: body)]
        }
    }

    /// The extensions of a certificate that name what is here: authorityInfoAccess and cRLDistributionPoints.
    public var extensions: [CertificateExtension] {
        [
            CertificateExtension("authorityInfoAccess", "OCSP;URI:\(responderURL),caIssuers;URI:\(certificateURL)"),
            CertificateExtension("crlDistributionPoints", "URI:\(listURL)"),
        ]
    }

    /// The URL of the authority's certificate in DER.
    public var certificateURL: String { origin.url("/ca.der") }

    /// The URL of the OCSP responder.
    public var responderURL: String { origin.url("/ocsp") }

    /// The URL of the revocation list.
    public var listURL: String { origin.url("/ca.crl") }

    /// Revokes a certificate: later responses and lists say so.
    ///
    /// - Parameters:
    ///   - identity: the certificate.
    ///   - time: the time of its revocation, in seconds since 1970-01-01T00:00:00Z.
    public func revoke(_ identity: Identity, at time: Int64 = 1_700_000_000) {
        statuses.revoked.withLock { $0.append((identity: identity, time: time)) }
    }

    /// The requests so far.
    public var requests: [ReceivedRequest] { origin.requests }
}

extension CertificateAuthority {
    /// The response to an OCSP request about one certificate; nil for anything else.
    fileprivate func answer(to request: [UInt8], _ revoked: [(identity: Identity, time: Int64)]) -> [UInt8]? {
        unsafe request.withUnsafeBufferPointer { buffer in
            var cursor = buffer.baseAddress
            guard let read = unsafe d2i_OCSP_REQUEST(nil, &cursor, buffer.count) else { return nil }
            defer { unsafe OCSP_REQUEST_free(read) }
            var serial: UnsafeMutablePointer<ASN1_INTEGER>?
            guard unsafe OCSP_request_onereq_count(read) == 1,
                let id = unsafe OCSP_onereq_get0_id(OCSP_request_onereq_get0(read, 0)),
                unsafe OCSP_id_get0_info(nil, nil, nil, &serial, id) == 1
            else { return nil }
            let status = revoked.first { identity, _ in
                PEMCertificate.all(in: identity.certificatePEM).first.map {
                    unsafe ASN1_INTEGER_cmp(X509_get0_serialNumber($0.pointer), serial) == 0
                } ?? false
            }.map { RevocationStatus.revoked(at: $0.time) }
            return try? unsafe ocspResponse(about: id, status ?? .good)
        }
    }
}
