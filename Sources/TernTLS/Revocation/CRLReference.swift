// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

/// An `X509_CRL`.
///
/// Safety: the pointer is owned, never nil, freed once in `deinit`, and only read; OpenSSL sorts the entries at its
/// first lookup, under the list's own lock.
@safe final class CRLReference: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Takes ownership of the caller's reference.
    @unsafe init(owning pointer: OpaquePointer) { unsafe self.pointer = pointer }

    deinit { unsafe X509_CRL_free(pointer) }
}
