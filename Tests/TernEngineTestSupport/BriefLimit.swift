// SPDX-License-Identifier: Apache-2.0
import Testing

/// A limit on time that is short, and longer where the machine was too busy for a short one: what is wrong, is wrong
/// under each of them.
enum BriefLimit {
    private static let first = [Duration.milliseconds(60), .milliseconds(300), .milliseconds(1200)]
    private static let last = Duration.milliseconds(4800)

    /// Expects `trial` to give `outcome` under a timeout, if everything it waits for is in proportion to that. A trial
    /// must contain no expectations itself.
    static func expect<Outcome: Equatable>(
        _ outcome: Outcome, sourceLocation: SourceLocation = #_sourceLocation,
        _ trial: (_ limit: Duration) async throws -> Outcome
    ) async throws {
        for limit in first {
            let seen = try? await trial(limit)
            if seen == outcome { return }
        }
        #expect(try await trial(last) == outcome, sourceLocation: sourceLocation)
    }
}
