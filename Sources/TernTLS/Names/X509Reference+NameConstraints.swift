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
            permitted: constraints.pointee.permittedSubtrees.map { unsafe Self.subtrees($0) },
            excluded: constraints.pointee.excludedSubtrees.map { unsafe Self.subtrees($0) })
    }

    /// The number of subtrees; if they cannot be counted, the maximum that their bytes could contain.
    var subtreeLimit: Int {
        let content = contentOfExtension(NID_name_constraints)
        guard var lists = DERElements(sequence: content) else { return content.count / 4 }
        var count = 0
        while let list = lists.next() { count += DERElements(list.content).count(orAtMost: list.content.count / 4) }
        return lists.isAtEnd ? count : content.count / 4
    }

    /// The same for subjectAltNames.
    var nameLimit: Int {
        let content = contentOfExtension(NID_subject_alt_name)
        return DERElements(sequence: content)?.count(orAtMost: content.count / 2) ?? content.count / 2
    }

    @unsafe private static func subtrees(_ stack: OpaquePointer) -> [NameConstraints.Subtree] {
        (0..<max(0, unsafe tern_GENERAL_SUBTREES_count(stack))).compactMap { index in
            guard let subtree = unsafe tern_GENERAL_SUBTREES_at(stack, index), let base = unsafe subtree.pointee.base
            else { return nil }
            let hasMinimum = unsafe subtree.pointee.minimum != nil && ASN1_INTEGER_get(subtree.pointee.minimum) != 0
            return unsafe NameConstraints.Subtree(
                base: SubjectAlternativeName(base), hasDistances: hasMinimum || subtree.pointee.maximum != nil)
        }
    }
}
