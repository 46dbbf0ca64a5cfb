// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

/// The sizes of a certificate's parts, counted without having OpenSSL parse its extensions, which is the very work to
/// bound.
struct CertificateSize {
    let bytes: Int
    let names: Int
    let subtrees: Int
    private let nameBytes: Int
    private let parts: Int

    /// A certificate of this size is not counted in detail: it is too small to exceed a limit.
    private static let small = 2048

    init(_ certificate: X509Certificate) {
        let x509 = certificate.x509
        bytes = x509.byteCount
        parts = x509.partCount
        let constraints = x509.contentOfExtension(NID_name_constraints)
        subtrees = constraints.isEmpty ? 0 : x509.subtreeLimit
        guard bytes > Self.small else {
            (names, nameBytes) = (bytes / 24, 0)
            return
        }
        nameBytes = x509.contentOfExtension(NID_subject_alt_name).count
        names = nameBytes == 0 ? 0 : x509.nameLimit
    }

    /// The first limit that it exceeds on its own.
    var crossedLimit: EvaluationLimit? {
        if names > EvaluationLimit.names.maximum { return .names }
        if parts > EvaluationLimit.nameParts.maximum { return .nameParts }
        return subtrees > EvaluationLimit.constraints.maximum ? .constraints : nil
    }

    /// The cost of reading it once: names have a cost of their own, and everything else may be a list of small items,
    /// too.
    var readingCost: Int { names + (bytes - nameBytes) / 10 }
}

extension X509Reference {
    var byteCount: Int { unsafe Int(max(0, i2d_X509(pointer, nil))) }

    fileprivate var partCount: Int {
        unsafe Int(
            max(
                X509_NAME_entry_count(X509_get_subject_name(pointer)),
                X509_NAME_entry_count(X509_get_issuer_name(pointer))))
    }

    /// Policies and mappings of policies.
    var policyCount: Int {
        [NID_certificate_policies, NID_policy_mappings].reduce(0) { sum, kind in
            let content = contentOfExtension(kind)
            return sum + (DERElements(sequence: content)?.count(orAtMost: content.count / 4) ?? content.count / 4)
        }
    }
}
