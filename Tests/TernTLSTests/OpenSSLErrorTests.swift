// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL
import Glibc
import TernTesting
import Testing

@testable import TernTLS

struct OpenSSLErrorTests {
    /// Queues an error as libssl does: a connection's context has registered its texts by then.
    private func queue(_ reason: Int32) {
        _ = OPENSSL_init_ssl(tern_OPENSSL_INIT_NO_ATEXIT | UInt64(OPENSSL_INIT_LOAD_SSL_STRINGS), nil)
        ERR_new()
        unsafe withVaList([]) { unsafe ERR_vset_error(ERR_LIB_SSL, reason, nil, $0) }
    }

    @Test func `the queue is read from the oldest entry on, and is empty then`() {
        OpenSSLError.clear()
        queue(SSL_R_WRONG_VERSION_NUMBER)
        queue(SSL_R_NO_PROTOCOLS_AVAILABLE)
        let errors = OpenSSLError.drain()
        #expect(errors.map(\.reason) == ["wrong version number", "no protocols available"])
        #expect(errors.map(\.library) == ["SSL routines", "SSL routines"])
        #expect(errors.map(\.libraryNumber) == [ERR_LIB_SSL, ERR_LIB_SSL])
        #expect(errors.map(\.reasonNumber) == [SSL_R_WRONG_VERSION_NUMBER, SSL_R_NO_PROTOCOLS_AVAILABLE])
        #expect(OpenSSLError.drain().isEmpty)
    }

    @Test func `clearing removes the entries of other code`() {
        queue(SSL_R_WRONG_VERSION_NUMBER)
        OpenSSLError.clear()
        #expect(OpenSSLError.drain().isEmpty)
    }

    @Test(arguments: [
        ("SSL routines", "wrong version number", "", "SSL routines: wrong version number"),
        ("SSL routines", "wrong version number", "x=1", "SSL routines: wrong version number (x=1)"),
        ("", "broken", "", "broken"), ("", "", "", "error 0xa1"), ("lib", "", "why", "lib: error 0xa1 (why)"),
    ])
    func `a description has what is known`(library: String, reason: String, detail: String, text: String) {
        #expect(OpenSSLError(code: 0xa1, library: library, reason: reason, detail: detail).description == text)
    }

    @Test func `a list of entries follows a text in brackets, and an empty one leaves it alone`() {
        let entries = ["one", "two"].map { OpenSSLError(code: 1, library: "", reason: $0, detail: "") }
        #expect(entries.appended(to: "failed") == "failed [one]")
        #expect([OpenSSLError]().appended(to: "failed") == "failed")
    }
}

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
            #expect(SystemTrust.first.store.all.count >= 0)
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

@Suite struct MessageDigestTests {
    @Test(arguments: [
        (MessageDigest.Algorithm.sha256, "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0="),
        (
            .sha512, "3a81oZNherrMQXNJriBBMRLm+k6JqX6iCp7u5ktV05ohkpkqJ0/BqDa6PCOj/uu9RU1EI2Q86A4qmslPpUyknw=="
        ),
    ])
    func `chunks have the hash of the whole`(algorithm: MessageDigest.Algorithm, hash: String) {
        var digest = MessageDigest(algorithm)
        for piece in [[UInt8(ascii: "a")], [], [UInt8(ascii: "b"), UInt8(ascii: "c")]] {
            unsafe piece.withUnsafeBytes { unsafe digest.update($0) }
        }
        let found = digest.finish().map(Base64.encode)
        #expect(found == hash)
    }
}
