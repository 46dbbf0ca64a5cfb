// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL
import Foundation
import TernTesting
import Testing

@testable import TernTLS

struct AnchorBundleTests {
    private func names(_ bundle: AnchorBundle, _ certificate: X509Certificate) -> [X509Certificate] {
        unsafe bundle.certificates(named: X509_get_subject_name(certificate.x509.pointer))
    }

    @Test func `certificates are found by their names, however many share one`() throws {
        let authorities = try ["One", "Two", "Two", "Three"].map { try CertificateAuthority(commonName: $0) }
        let certificates = try authorities.map { try $0.certificate() }
        let text = authorities.map(\.certificatePEM).joined(separator: "a comment\n")
        let bundle = try #require(AnchorBundle(pem: Array(text.utf8)))
        #expect(bundle.count == 4)
        #expect(bundle.all == certificates)
        #expect(names(bundle, certificates[0]) == [certificates[0]])
        #expect(names(bundle, certificates[1]) == [certificates[1], certificates[2]])
        #expect(names(bundle, try CertificateAuthority(commonName: "Four").certificate()).isEmpty)
    }

    @Test func `a store finds in a bundle what it finds when all is read at once`() throws {
        let path = "/etc/ssl/certs/ca-certificates.crt"
        let whole = unsafe try #require(unsafe X509_STORE_new())
        let asked = unsafe try #require(unsafe X509_STORE_new())
        defer {
            unsafe X509_STORE_free(whole)
            unsafe X509_STORE_free(asked)
        }
        #expect(unsafe X509_STORE_load_file(whole, path) == 1)
        let bundle = try #require(AnchorBundle(pem: Array(Data(contentsOf: URL(filePath: path)))))
        #expect(unsafe bundle.attach(to: asked))
        #expect(bundle.count == Int(unsafe tern_X509_STORE_count(whole)))
        for certificate in bundle.all {
            let name = unsafe X509_get_subject_name(certificate.x509.pointer)
            let found = unsafe (subjects(of: name, in: whole), subjects(of: name, in: asked))
            #expect(found.0 == found.1 && found.0.contains(certificate))
        }
        let stranger = try CertificateAuthority().certificate()
        #expect(unsafe subjects(of: X509_get_subject_name(stranger.x509.pointer), in: asked).isEmpty)
    }

    @unsafe private func subjects(of name: OpaquePointer?, in store: OpaquePointer) -> Set<X509Certificate> {
        guard let context = unsafe X509_STORE_CTX_new() else { return [] }
        defer { unsafe X509_STORE_CTX_free(context) }
        guard unsafe X509_STORE_CTX_init(context, store, nil, nil) == 1,
            let found = unsafe X509_STORE_CTX_get1_certs(context, name)
        else { return [] }
        defer { unsafe tern_X509_stack_release(found) }
        return Set(unsafe X509Certificate.copies(of: found))
    }

    @Test func `many threads may look for the same names`() async throws {
        let authorities = try (0..<8).map { try CertificateAuthority(commonName: "Authority \($0)") }
        let chains = try authorities.map { [try $0.issue().certificate()] }
        let text = authorities.map(\.certificatePEM).joined()
        for _ in 0..<20 {
            let store = try Store(#require(AnchorBundle(pem: Array(text.utf8))))
            let found = await withTaskGroup(of: Int.self) { group in
                for chain in chains + chains + chains { group.addTask { store.count(issuing: chain[0]) } }
                return await group.reduce(0, +)
            }
            #expect(found == 24)
        }
    }

    /// Safety: owned and freed once; what OpenSSL does with a store takes its lock.
    @safe private final class Store: @unchecked Sendable {
        private let pointer: OpaquePointer

        init(_ bundle: AnchorBundle) throws {
            unsafe pointer = try #require(unsafe X509_STORE_new())
            #expect(unsafe bundle.attach(to: pointer))
        }

        deinit { unsafe X509_STORE_free(pointer) }

        func count(issuing certificate: X509Certificate) -> Int {
            guard let context = unsafe X509_STORE_CTX_new() else { return 0 }
            defer { unsafe X509_STORE_CTX_free(context) }
            guard unsafe X509_STORE_CTX_init(context, pointer, nil, nil) == 1,
                let name = unsafe X509_get_issuer_name(certificate.x509.pointer),
                let found = unsafe X509_STORE_CTX_get1_certs(context, name)
            else { return 0 }
            defer { unsafe tern_X509_stack_release(found) }
            return Int(unsafe tern_X509_stack_count(found))
        }
    }

    @Test func `a file of anything but certificates is not for a bundle`() throws {
        let authority = try CertificateAuthority()
        let odd = [
            "", "no certificate",
            authority.certificatePEM.replacingOccurrences(of: "CERTIFICATE", with: "TRUSTED CERTIFICATE"),
            authority.certificatePEM + "-----BEGIN X509 CRL-----\nAAAA\n-----END X509 CRL-----\n",
            authority.certificatePEM + "-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n",
            authority.certificatePEM + "-----BEGIN CERTIFICATE-----\n*\n-----END CERTIFICATE-----\n",
            String(authority.certificatePEM.dropLast(40)),
        ]
        for text in odd { #expect(AnchorBundle(pem: Array(text.utf8)) == nil, "\(text)") }
    }
}
