// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Synchronization
import TernIO
import TernTLS

/// Asks responders and fetches lists over an engine of its own, and remembers what came back. Any thread; nothing here
/// runs on the reactor of the connection that waits.
///
/// The answers are not believed here. Whoever finds one useless says so, lest a forged one be kept for long.
final class RevocationFetcher: Sendable {
    typealias Answers = [RevocationQuestion: RevocationAnswer]

    /// Limits for one answer, in bytes.
    static let maximumResponseSize = 64 * 1024
    static let maximumListSize = 8 * 1024 * 1024
    /// The time for one answer, and for all of a handshake's.
    static let timeLimit = Duration.seconds(5)

    private let answers = RevocationAnswerCache()
    private let session = Lock<Session?>(nil)

    /// Asks different questions. Calls `completion` with what is known by `deadline`, once, on any thread.
    func ask(
        _ questions: [RevocationQuestion], until deadline: ContinuousClock.Instant,
        completion: @escaping @Sendable (Answers) -> Void
    ) {
        let collection = AnswerCollection(count: questions.count, until: deadline, completion: completion)
        // Not ourselves: what is under way ends with us.
        let engine = engine
        for question in questions {
            let answer = answers.answer(to: question) { await Self.fetch(question, over: engine) }
            Task { collection.add(await answer.value, to: question) }
        }
    }

    /// The answer did not help: it is forgotten soon.
    func distrust(_ questions: [RevocationQuestion]) { answers.distrust(questions) }

    private static func fetch(_ question: RevocationQuestion, over engine: Session) async -> RevocationAnswer {
        guard let url = URL(string: question.url) else { return .none }
        var request = URLRequest(url: url)
        switch question {
        case .ocsp(_, let body):
            request.httpMethod = "POST"
            request.httpBody = Data(body)
            request.setValue("application/ocsp-request", forHTTPHeaderField: "Content-Type")
            return await bytes(request, over: engine, limit: maximumResponseSize).map {
                .response(OCSPResponse(der: $0))
            }
                ?? .none
        case .list:
            guard let bytes = await bytes(request, over: engine, limit: maximumListSize),
                let list = try? CertificateRevocationList(der: bytes)
            else { return .none }
            return .list(list)
        }
    }

    private static func bytes(_ request: URLRequest, over engine: Session, limit: Int) async -> [UInt8]? {
        do {
            let (body, response) = try await engine.bytes(for: request)
            guard response.statusCode == 200 else { return nil }
            var bytes: [UInt8] = []
            for try await piece in body {
                guard bytes.count + piece.count <= limit else { return nil }
                bytes.append(contentsOf: piece)
            }
            return bytes
        } catch {
            return nil
        }
    }

    private var engine: Session {
        session.withLock { session in
            if let session { return session }
            var configuration = SessionConfiguration()
            configuration.timeouts = Timeouts(connect: Self.timeLimit, idle: Self.timeLimit, total: Self.timeLimit)
            configuration.httpMaximumConnectionsPerHost = 4
            configuration.maximumIdleTime = .seconds(5)
            let made = Session(configuration: configuration)
            session = made
            return made
        }
    }
}
