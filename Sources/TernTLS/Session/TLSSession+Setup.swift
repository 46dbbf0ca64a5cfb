// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

extension TLSSession {
    /// Attaches `wire` as the BIO of both directions, and sets the server name; false if out of memory.
    @unsafe static func connect(
        _ ssl: OpaquePointer, to wire: UnsafeMutablePointer<Wire>, as reference: ReferenceIdentity
    ) -> Bool {
        guard let bio = unsafe Wire.makeBIO(wire) else { return false }
        unsafe SSL_set_bio(ssl, bio, bio)
        unsafe SSL_set_connect_state(ssl)
        guard case .name(let name) = reference else { return true }
        return unsafe tern_SSL_set_tlsext_host_name(ssl, name) == 1
    }

    /// Frees both: first the user of the BIO, then the wire.
    @unsafe static func free(_ ssl: OpaquePointer, _ wire: UnsafeMutablePointer<Wire>) {
        unsafe SSL_free(ssl)
        unsafe wire.deinitialize(count: 1)
        unsafe wire.deallocate()
    }
}
