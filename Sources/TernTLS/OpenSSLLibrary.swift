// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

/// OpenSSL, set up before its first use here.
enum OpenSSLLibrary {
    /// OpenSSL would free itself when the process exits, under threads that still use it: a reactor that was ending
    /// just then crashed on a lock that was gone. The memory goes with the process anyway. If the application has set
    /// OpenSSL up before, its choice stays.
    static let isReady = OPENSSL_init_ssl(tern_OPENSSL_INIT_NO_ATEXIT, nil) == 1

    /// From OpenSSL 3.2 on, `SSL_MODE_RELEASE_BUFFERS` is heard by what a connection is made with: its write buffer
    /// would stay if the mode were set after the handshake, as it is before 3.2 because each flight would make its
    /// buffers anew.
    static let releasesBuffersFromTheStart = OpenSSL_version_num() >= 0x3020_0000
}
