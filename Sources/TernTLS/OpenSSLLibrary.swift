// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

/// OpenSSL, set up before its first use here.
enum OpenSSLLibrary {
    /// OpenSSL must not free itself when the process exits while threads still use it: reactors that ended at that
    /// moment have crashed on a freed lock. The memory is freed with the process anyway. If the application has set
    /// OpenSSL up before, its choice stays.
    static let isReady = OPENSSL_init_ssl(tern_OPENSSL_INIT_NO_ATEXIT, nil) == 1

    /// From OpenSSL 3.2 on, a connection reads `SSL_MODE_RELEASE_BUFFERS` when it is created: its write buffer would
    /// stay allocated if the mode were set after the handshake. Before 3.2 the mode is set then, because each flight
    /// would otherwise allocate its buffers again.
    static let releasesBuffersFromTheStart = OpenSSL_version_num() >= 0x3020_0000
}
