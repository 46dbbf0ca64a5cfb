// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

extension X509Reference {
    /// Nil if there are none; OpenSSL has refused those that cannot be read.
    var nameConstraints: NameConstraints? {
        defer { OpenSSLError.clear() }
        guard hasExtension(NID_name_constraints),
            let value = unsafe X509_get_ext_d2i(pointer, NID_name_constraints, nil, nil)
        else { return nil }
        let constraints = unsafe value.assumingMemoryBound(to: NAME_CONSTRAINTS.self)
        defer { unsafe NAME_CONSTRAINTS_free(constraints) }
        return unsafe NameConstraints(
            permitted: Self.subtrees(constraints.pointee.permittedSubtrees),
            excluded: Self.subtrees(constraints.pointee.excludedSubtrees))
    }

    @unsafe private static func subtrees(_ stack: OpaquePointer?) -> [NameConstraints.Subtree] {
        guard let stack = unsafe stack else { return [] }
        return (0..<max(0, unsafe tern_GENERAL_SUBTREES_count(stack))).compactMap { index in
            guard let subtree = unsafe tern_GENERAL_SUBTREES_at(stack, index), let base = unsafe subtree.pointee.base
            else { return nil }
            let hasMinimum = unsafe subtree.pointee.minimum != nil && ASN1_INTEGER_get(subtree.pointee.minimum) != 0
            return unsafe NameConstraints.Subtree(
                base: SubjectAlternativeName(base), hasDistances: hasMinimum || subtree.pointee.maximum != nil)
        }
    }
}
