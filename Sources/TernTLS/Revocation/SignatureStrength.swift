// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

/// Whether a signature is safe from collisions of its hash: 112 bits, as everywhere.
enum SignatureStrength {
    @unsafe static func isEnough(_ algorithm: UnsafePointer<X509_ALGOR>?) -> Bool {
        guard let algorithm = unsafe algorithm else { return false }
        var object: OpaquePointer?
        unsafe X509_ALGOR_get0(&object, nil, nil, algorithm)
        return unsafe isEnough(OBJ_obj2nid(object))
    }

    static func isEnough(_ algorithm: Int32) -> Bool {
        // These algorithms name their hash elsewhere, and have no weak one in use.
        if [NID_ED25519, NID_ED448, NID_rsassaPss].contains(algorithm) { return true }
        var digest: Int32 = NID_undef
        guard unsafe OBJ_find_sigid_algs(algorithm, &digest, nil) == 1,
            let method = unsafe EVP_get_digestbyname(OBJ_nid2sn(digest))
        else { return false }
        return unsafe EVP_MD_get_size(method) * 4 >= 112
    }
}
