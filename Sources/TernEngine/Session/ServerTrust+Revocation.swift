// SPDX-License-Identifier: Apache-2.0
public import TernTLS

extension ServerTrust {
    /// Asks the responders, and fetches the lists, that `policy` would make a session ask about this server, whatever
    /// the host. Takes at most five seconds for each round of questions; the number of rounds is that of the URLs in a
    /// certificate.
    ///
    /// - Returns: the same trust with the answers, which an evaluation has yet to verify.
    public func fetchingRevocation(for policy: ServerTrustPolicy) async -> ServerTrust {
        let fetcher = RevocationFetcher(requestSender: SideSession.forRevocation())
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
