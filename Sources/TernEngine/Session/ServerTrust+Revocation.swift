// SPDX-License-Identifier: Apache-2.0
public import TernTLS

extension ServerTrust {
    /// Asks the responders, and fetches the lists, that `policy` would have a session ask about this server, whatever
    /// the host. Takes five seconds at most for each round of questions, and there are as many rounds as a certificate
    /// names places.
    ///
    /// - Returns: the same trust and what came back; it is still for an evaluation to judge.
    public func fetchingRevocation(for policy: ServerTrustPolicy) async -> ServerTrust {
        let fetcher = RevocationFetcher(courier: SideSession.forRevocation())
        var trust = self
        var asked: Set<RevocationQuestion> = []
        while true {
            let findings = policy.evaluateChain(trust).revocation
            let open = Set(findings.compactMap { finding in finding.questions.first { !asked.contains($0) } })
            if open.isEmpty { return trust }
            asked.formUnion(open)
            for answer in await Self.answers(to: open, of: fetcher) { trust.revocation.take(answer) }
        }
    }

    private static func answers(
        to questions: Set<RevocationQuestion>, of fetcher: RevocationFetcher
    ) async -> [RevocationAnswer] {
        await withTaskGroup(of: RevocationAnswer.self) { group in
            for question in questions {
                group.addTask {
                    await withCheckedContinuation { continuation in
                        fetcher.ask(question) { continuation.resume(returning: $0) }
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }
}
