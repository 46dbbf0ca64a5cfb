// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernTLS

struct NameConstraintsTests {
    private func constraints(
        permitted: [SubjectAlternativeName]? = nil, excluded: [SubjectAlternativeName]? = nil
    ) -> NameConstraints {
        func subtrees(_ names: [SubjectAlternativeName]?) -> [NameConstraints.Subtree]? {
            names?.map { NameConstraints.Subtree(base: $0, hasDistances: false) }
        }
        return NameConstraints(permitted: subtrees(permitted), excluded: subtrees(excluded))
    }

    @Test(arguments: [
        (SubjectAlternativeName.dns("example.com"), true), (.dns(".example.com"), true), (.dns(""), true),
        (.dns("."), false), (.dns("a..b"), false), (.dns("*.example.com"), false), (.dns("a b"), false),
        (.ip([10, 0, 0, 0, 255, 0, 0, 0]), true), (.ip([10, 0, 0, 0, 255, 254, 0, 0]), true),
        (.ip([10, 0, 0, 0, 255, 0, 255, 0]), false), (.ip([10, 0, 0, 0, 253, 0, 0, 0]), false),
        (.ip([10, 0, 0, 0]), false), (.ip([UInt8](repeating: 0, count: 32)), true),
        (.ip([UInt8](repeating: 0, count: 16)), false), (.email("a@example.com"), true), (.email("example.com"), true),
        (.email(".example.com"), true), (.email("a@b@c"), false), (.email("@example.com"), false), (.uri("."), false),
        (.uri("example.com"), true), (.other(4), true),
    ])
    func `a base is well formed or not by its kind`(base: SubjectAlternativeName, isWellFormed: Bool) {
        #expect(constraints(permitted: [base]).isWellFormed == isWellFormed)
        #expect(constraints(excluded: [.dns("fine.test"), base]).isWellFormed == isWellFormed)
    }

    @Test func `no list, an empty list and distances are malformed`() {
        #expect(!constraints().isWellFormed)
        #expect(!constraints(permitted: []).isWellFormed)
        #expect(!constraints(permitted: [.dns("a.test")], excluded: []).isWellFormed)
        let distant = NameConstraints.Subtree(base: .dns("a.test"), hasDistances: true)
        #expect(!NameConstraints(permitted: [distant], excluded: nil).isWellFormed)
    }

    @Test func `a wildcard that covers an excluded name is excluded`() {
        let some = constraints(permitted: [.dns("b.other.test")], excluded: [.dns("Secret.Example.com"), .dns("test")])
        #expect(some.excludes(wildcard: "*.example.com"))
        #expect(some.excludes(wildcard: "*.EXAMPLE.com."))
        #expect(!some.excludes(wildcard: "a.example.com"))
        #expect(!some.excludes(wildcard: "*.secret.example.com"))
        #expect(!some.excludes(wildcard: "*.other.test"))
    }

    @Test(arguments: [
        (SubjectAlternativeName.dns("a.test"), false), (.dns("*.a.test"), false), (.dns("a b"), true),
        (.dns(""), true), (.dns("*."), true), (.email("odd"), false), (.ip([1]), false),
    ])
    func `a name of a constrained kind that cannot be compared is found`(name: SubjectAlternativeName, cannot: Bool) {
        #expect(constraints(permitted: [.dns("test")]).cannotCompare(name) == cannot)
        #expect(!constraints(permitted: [.ip([10, 0, 0, 0, 255, 0, 0, 0])]).cannotCompare(name))
    }

    @Test func `a mailbox is compared where mail is constrained`() {
        let mail = constraints(permitted: [.email("example.com")])
        #expect(mail.cannotCompare(.email("odd")))
        #expect(!mail.cannotCompare(.email("a@example.com")))
        #expect(!mail.cannotCompare(.dns("a b")))
    }
}
