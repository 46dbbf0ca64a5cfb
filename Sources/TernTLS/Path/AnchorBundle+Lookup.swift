// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

extension AnchorBundle {
    /// The lookup method of a store for names it does not have; nil if out of memory.
    ///
    /// Safety: written once, and only read by OpenSSL. The data of a lookup is a retained reference to its bundle,
    /// released when the lookup is freed.
    nonisolated(unsafe) private static let method: OpaquePointer? = {
        guard let method = unsafe X509_LOOKUP_meth_new("anchors by name") else { return nil }
        unsafe X509_LOOKUP_meth_set_get_by_subject(method) { lookup, kind, name, found in
            guard kind == X509_LU_X509, let lookup = unsafe lookup, let bundle = unsafe AnchorBundle.of(lookup) else {
                return 0
            }
            return unsafe bundle.find(name, for: X509_LOOKUP_get_store(lookup), found) ? 1 : 0
        }
        unsafe X509_LOOKUP_meth_set_free(method) { lookup in
            guard let data = unsafe X509_LOOKUP_get_method_data(lookup) else { return }
            unsafe Unmanaged<AnchorBundle>.fromOpaque(data).release()
        }
        return unsafe method
    }()

    @unsafe private static func of(_ lookup: OpaquePointer) -> AnchorBundle? {
        unsafe X509_LOOKUP_get_method_data(lookup).map {
            unsafe Unmanaged<AnchorBundle>.fromOpaque($0).takeUnretainedValue()
        }
    }

    /// Lets the store find certificates that it does not have. False if out of memory.
    @unsafe func attach(to store: OpaquePointer) -> Bool {
        guard let method = unsafe Self.method, let lookup = unsafe X509_STORE_add_lookup(store, method) else {
            return false
        }
        let data = unsafe Unmanaged.passRetained(self)
        if unsafe X509_LOOKUP_set_method_data(lookup, data.toOpaque()) == 1 { return true }
        unsafe data.release()
        return false
    }

    /// Adds all certificates of that name to the store, which finds them itself from then on.
    @unsafe private func find(_ name: OpaquePointer?, for store: OpaquePointer?, _ found: OpaquePointer?) -> Bool {
        var isFound = false
        for certificate in unsafe certificates(named: name) {
            let x509 = unsafe certificate.x509.pointer
            guard unsafe X509_STORE_add_cert(store, x509) == 1, !isFound,
                unsafe X509_NAME_cmp(X509_get_subject_name(x509), name) == 0,
                unsafe X509_OBJECT_set1_X509(found, x509) == 1
            else { continue }
            // The caller counts its own reference (X509_LOOKUP_meth_set_get_by_subject(3)); until then it is the
            // bundle's.
            unsafe X509_free(x509)
            isFound = true
        }
        return isFound
    }
}
