// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

/// An `SSL_SESSION` of our own.
///
/// Safety: the pointer is owned, never nil, and freed once in `deinit`. It is a copy that no connection has used, and
/// is lent to at most one, as its last use; a session that may be used again is copied, and copying only reads.
@safe final class SessionReference: @unchecked Sendable {
    private let pointer: OpaquePointer

    /// Copies `session`. A connection marks its own session unusable when it ends without close_notify or with an
    /// alert; the copy is not affected.
    @unsafe init?(copying session: OpaquePointer) {
        guard unsafe SSL_SESSION_is_resumable(session) == 1, let copy = unsafe SSL_SESSION_dup(session) else {
            OpenSSLError.clear()
            return nil
        }
        unsafe pointer = copy
    }

    deinit { unsafe SSL_SESSION_free(pointer) }

    /// Whether it may be offered only once (RFC 8446 §C.4: a ticket used twice lets an observer link the connections).
    /// A session of TLS 1.2 may be used again, and its server does not issue another with each use.
    var isOneUse: Bool { unsafe SSL_SESSION_get_protocol_version(pointer) >= TLS1_3_VERSION }

    /// When it expires, in seconds since 1970: as given by the server, or else after OpenSSL's five minutes; after at
    /// most seven days (RFC 8446 §4.6.1).
    var expiry: Int64 {
        let told = Int64(clamping: unsafe SSL_SESSION_get_ticket_lifetime_hint(pointer))
        let lifetime = told > 0 ? told : unsafe Int64(SSL_SESSION_get_timeout(pointer))
        return unsafe Int64(SSL_SESSION_get_time(pointer)) + min(max(0, lifetime), 7 * 86400)
    }

    /// Lets `ssl` offer it: itself if it may be used once only, and must not be offered again, else a copy.
    @unsafe func offer(to ssl: OpaquePointer) -> Bool {
        if isOneUse { return unsafe SSL_set_session(ssl, pointer) == 1 }
        guard let copy = unsafe SSL_SESSION_dup(pointer) else { return false }
        defer { unsafe SSL_SESSION_free(copy) }
        return unsafe SSL_set_session(ssl, copy) == 1
    }
}
