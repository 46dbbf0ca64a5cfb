// SPDX-License-Identifier: Apache-2.0
public import Testing

/// The clauses of `Tests/Behaviour.md` that a test proves. `scripts/check-rows` reads them in the source of the test.
public struct Proof: TestTrait {
    public let clauses: [String]
}

extension Trait where Self == Proof {
    /// Says which clauses a test proves, such as `1.5a`.
    public static func proves(_ clauses: String...) -> Proof { Proof(clauses: clauses) }
}
