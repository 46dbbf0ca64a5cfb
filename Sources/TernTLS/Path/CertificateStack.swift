// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

/// Certificates in the form of OpenSSL's functions, `STACK_OF(X509)`.
///
/// Safety: the stack is owned, never nil and freed once; it borrows the certificates, which live as long as it does.
@safe final class CertificateStack {
    let pointer: OpaquePointer
    private let certificates: [X509Certificate]

    /// Nil if out of memory.
    init?(_ certificates: [X509Certificate]) {
        guard let stack = unsafe tern_X509_stack_new() else { return nil }
        unsafe pointer = stack
        self.certificates = certificates
        for certificate in certificates where unsafe tern_X509_stack_push(stack, certificate.x509.pointer) <= 0 {
            return nil
        }
    }

    deinit { unsafe tern_X509_stack_free(pointer) }
}
