// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials
public import TernTLS

/// Bundles in the form that SPIFFE implementations publish (SPIFFE Trust Domain and Bundle §4): a JWK set (RFC 7517) with
/// `spiffe_sequence`, `spiffe_refresh_hint` and `keys`. Of these, each with the use `x509-svid` has one certificate in
/// `x5c`; keys with other uses, such as `jwt-svid`, are not for TLS and are skipped. Other members are ignored.
extension SPIFFEBundle {
    /// Reads a bundle from its JSON text. Does not block.
    public init(json: some Sequence<UInt8>) throws(PolicyFileError) {
        let json = Array(json)
        var fields = try JSONFields(reading: json)
        var authorities: [X509Certificate] = []
        for element in try fields.require("keys").elements() {
            if let authority = try element.authority() { authorities.append(authority) }
        }
        self.init(
            authorities: authorities, sequence: try fields.take("spiffe_sequence")?.number(in: 0...Int.max),
            refreshHint: try fields.take("spiffe_refresh_hint")?.number(in: 0...Int.max))
    }

    /// Reads a bundle from the certificates of a PEM text, as `spire-server bundle show` writes them. Does not block.
    ///
    /// - Throws: `invalidCertificate` for a text without a certificate, or with a broken one.
    public init(pem: some Sequence<UInt8>) throws(PolicyFileError) {
        let pem = Array(pem)
        do throws(CertificateError) {
            self.init(authorities: try X509Certificate.all(inPEM: pem))
        } catch {
            throw PolicyFileError(.invalidCertificate(error))
        }
    }

    /// Reads a bundle from a regular file of at most 16 MB: JSON if it begins with a brace, and PEM otherwise. Blocks while
    /// the file is read.
    public init(contentsOf file: URL) throws(PolicyFileError) {
        try self.init(contents: try PolicyFile.contents(of: file))
    }

    init(contents bytes: [UInt8]) throws(PolicyFileError) {
        if JSONReader.beginsObject(bytes) { try self.init(json: bytes) } else { try self.init(pem: bytes) }
    }
}

extension JSONElement {
    /// The certificate of a key; nil for a key of another use.
    fileprivate func authority() throws(PolicyFileError) -> X509Certificate? {
        var fields = try JSONFields(self)
        guard try fields.take("use")?.string() == "x509-svid" else { return nil }
        let list = try fields.require("x5c")
        let certificates = try list.elements { element throws(PolicyFileError) in
            let der = try element.base64()
            do throws(CertificateError) { return try X509Certificate(der: der) } catch {
                throw element.error(.invalidCertificate(error))
            }
        }
        guard let certificate = certificates.first, certificates.count == 1 else {
            throw list.error(.notOneCertificate(certificates.count))
        }
        return certificate
    }
}
