// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernIO
import TernLock
import TernTLS

/// Asks OCSP responders, fetches revocation lists and missing issuers, and caches the answers. Any thread may use it.
///
/// Nothing here waits for the threads of Swift's tasks: those may all be busy with the application's work, or waiting
/// for this very answer. The answers are not verified here. A caller reports useless ones, so that a forged one is not
/// cached for long.
final class RevocationFetcher: Sendable {
    /// The timeout of one answer, and of all answers of a handshake.
    static let timeLimit = Duration.seconds(5)

    private let answers = RevocationAnswerCache()
    private let requestSender: Lock<(any RequestSender)?>

    init(requestSender: any RequestSender) { self.requestSender = Lock(requestSender) }

    /// Calls `completion` once, now or later, on any thread; never, if the fetcher is released first, which cancels its
    /// requests.
    ///
    /// - Parameter route: the settings of the request's route; nil for the session's.
    func ask(
        _ question: RevocationQuestion, along route: RouteSettings? = nil,
        completion: @escaping @Sendable (RevocationAnswer) -> Void
    ) {
        guard answers.isFirst(to: question, along: route, completion) else { return }
        guard let url = URL(escaping: question.url), let requestSender = requestSender.withLock({ $0 }) else {
            return answers.keep(.none, to: question, along: route)
        }
        var request = question.request(to: url)
        request.routeSettings = route
        requestSender.send(request, sizeLimit: question.sizeLimit, timeLimit: Self.timeLimit) {
            [weak answers] reply in
            question.read(reply) { [weak answers] in answers?.keep($0, to: question, along: route) }
        }
    }

    /// Releases the sender, which cancels its requests.
    func close() {
        // The last release must not run under the lock.
        _ = requestSender.withLock { $0.take() }
    }

    /// The answers did not help: their lifetime is shortened.
    func distrust(_ questions: [RevocationQuestion], along route: RouteSettings? = nil) {
        answers.distrust(questions, along: route)
    }
}

extension RevocationQuestion {
    /// The maximum length of one answer, in bytes.
    private static let maximumResponseSize = 64 * 1024
    private static let maximumListSize = 8 * 1024 * 1024
    private static let maximumIssuersSize = 64 * 1024

    var sizeLimit: Int {
        switch self {
        case .ocsp: Self.maximumResponseSize
        case .list: Self.maximumListSize
        case .issuer: Self.maximumIssuersSize
        }
    }

    func request(to url: URL) -> URLRequest {
        var request = URLRequest(url: url)
        if case .ocsp(_, let body) = self {
            request.httpMethod = "POST"
            request.httpBody = Data(body)
            request.setValue("application/ocsp-request", forHTTPHeaderField: "Content-Type")
            // A POST on a kept connection that the responder is just closing would be lost, and never sent again.
            request.setValue("close", forHTTPHeaderField: "Connection")
        }
        return request
    }

    /// Converts a response to an answer. Calls `completion` once, now or later, on any thread.
    func read(_ reply: SideResponse?, completion: @escaping @Sendable (RevocationAnswer) -> Void) {
        guard let reply, reply.statusCode == 200 else { return completion(.none) }
        switch self {
        case .ocsp: completion(.response(OCSPResponse(der: Array(reply.body))))
        case .list:
            // Reading a long list takes longer than a reactor can afford.
            WorkThreads.computing.run {
                let list = try? CertificateRevocationList(der: Array(reply.body))
                completion(list.map(RevocationAnswer.list) ?? .none)
            }
        case .issuer:
            // So may reading keys, which any server can name.
            WorkThreads.computing.run {
                let issuers = X509Certificate.issuers(in: Array(reply.body))
                completion(issuers.isEmpty ? .none : .issuers(issuers))
            }
        }
    }
}
