// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernTLS
import TernLock

/// Asks responders and fetches lists over an engine of its own, and remembers what came back. Any thread.
///
/// It uses reactors and Dispatch, and not the threads of Swift's tasks: those may all be busy with the application's work,
/// or waiting for this very answer. The answers are not believed here. Whoever finds one useless says so, lest a forged one
/// be kept for long.
final class RevocationFetcher: Sendable {
    /// The time for one answer, and for all of a handshake's.
    static let timeLimit = Duration.seconds(5)

    private let answers = RevocationAnswerCache()
    private let session = Lock<Session?>(nil)

    /// Calls `completion` once, now or later, on any thread. Not at all, if the fetcher is let go of first: what is under way
    /// ends with it.
    func ask(_ question: RevocationQuestion, completion: @escaping @Sendable (RevocationAnswer) -> Void) {
        guard answers.isFirst(to: question, completion) else { return }
        guard let url = URL(string: question.url) else { return answers.keep(.none, to: question) }
        let fetch = RevocationFetch(question) { [weak answers] answer in answers?.keep(answer, to: question) }
        engine.dataTask(with: question.request(to: url), delegate: fetch).resume()
    }

    /// Lets the engine go, and with it what is under way.
    func close() {
        // The last release must not run under the lock.
        _ = session.withLock { $0.take() }
    }

    /// The answers did not help: they are forgotten soon.
    func distrust(_ questions: [RevocationQuestion]) { answers.distrust(questions) }

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

extension RevocationQuestion {
    fileprivate func request(to url: URL) -> URLRequest {
        var request = URLRequest(url: url)
        if case .ocsp(_, let body) = self {
            request.httpMethod = "POST"
            request.httpBody = Data(body)
            request.setValue("application/ocsp-request", forHTTPHeaderField: "Content-Type")
            // A POST on a kept connection that the responder is just closing is lost, and never sent again.
            request.setValue("close", forHTTPHeaderField: "Connection")
        }
        return request
    }
}
