// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL
import Glibc
import TernTesting
import Testing

@testable import TernTLS

/// Each in a process of its own, for OpenSSL is set up once.
struct OpenSSLLibraryTests {
    @Test func `whatever comes first, OpenSSL is not torn down at exit`() async {
        await #expect(processExitsWith: .success) {
            _ = X509Certificate.PublicKey(subjectPublicKeyInfo: [])
            OPENSSL_atexit { _exit(1) }
        }
        await #expect(processExitsWith: .success) {
            #expect(OCSPResponse(der: [0]).nextUpdate == nil)
            OPENSSL_atexit { _exit(1) }
        }
        await #expect(processExitsWith: .success) {
            #expect(TrustStore.system.all.count >= 0)
            OPENSSL_atexit { _exit(1) }
        }
        await #expect(processExitsWith: .success) {
            _ = try CertificateAuthority()
            OPENSSL_atexit { _exit(1) }
        }
    }

    @Test func `an application that has set OpenSSL up before keeps its choice`() async {
        await #expect(processExitsWith: .exitCode(7)) {
            unsafe SHA256(nil, 0, nil)
            _ = X509Certificate.PublicKey(subjectPublicKeyInfo: [])
            OPENSSL_atexit { _exit(7) }
        }
    }
}
