// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernHTTP1
import TernIO
import TernTLS
import Testing

@testable import Tern
@testable import TernEngine
@testable import TernTLS

/// Every event and every question that delegates are told, once each. A new one compiles only when it has a place here.
struct EngineEvents {
    let task: SessionTask
    let loop: ReactorLoop
    let asker = Asker()
    private let response: HTTPURLResponse
    private let instant = MonotonicInstant.now
    private let connection: ConnectionMetrics

    init(of session: Session, task: SessionTask) throws {
        self.task = task
        loop = try #require((session.executors.first as? Reactor)?.loop)
        response = try HTTPURLResponse(url: nil, statusCode: 200)
        connection = ConnectionMetrics(
            remoteAddress: try #require(TransportAddress(literal: "127.0.0.1", port: 1)), localAddress: nil, tls: nil,
            trust: nil, start: .now, resolved: .now, connected: .now, secured: nil)
    }

    var ofTasks: [TaskEvent] { Array(sequence(first: trust) { event(after: $0) }) }

    var ofDownloads: [DownloadEvent] { Array(sequence(first: .replaced(task)) { event(after: $0) }) }

    private func event(after event: TaskEvent) -> TaskEvent? {
        switch event {
        case .serverTrust: .waitingForConnectivity
        case .waitingForConnectivity:
            .willRetry(
                RetryMetrics(number: 1, cause: .status(503), time: instant, delay: .zero), question { .retry($0) })
        case .willRetry: .willSend(on: connection)
        case .willSend: .sentBodyData(1, total: 2, expected: 3)
        case .sentBodyData: .informational(response)
        case .informational: .redirect(response, request, question(DelegateResponse.redirect))
        case .redirect:
            .challenge(
                AuthenticationChallenge(
                    response: response, origin: origin, challenges: ["Basic realm=\"r\""],
                    protectionSpace: ProtectionSpace(host: "a.test"), proposedCredential: nil, previousFailureCount: 0,
                    hasLeftOrigin: false), question(DelegateResponse.challenge))
        case .challenge: .newBody(question(DelegateResponse.content))
        case .newBody: .discarded(response)
        case .discarded: .response(response, question(DelegateResponse.disposition))
        case .response: .responseOver(trailers: HeaderFields(), discarded: HeaderFields())
        case .responseOver:
            .willCache(
                CacheQuestion(proposal: CachedURLResponse(response: response, data: Data("body".utf8))) { _ in })
        case .willCache: .completed(nil)
        case .completed: nil
        case .started, .waiting, .waited, .hopBegan, .prepared, .head, .hopOver, .attemptBegan, .connecting,
            .connectionFailed, .webSocket, .attemptOver, .answered, .retrying:
            nil
        }
    }

    private func event(after event: DownloadEvent) -> DownloadEvent? {
        switch event {
        case .replaced: .resumed(at: 1, expected: 2)
        case .resumed: .wrote(1, total: 2, expected: 3)
        case .wrote: .finished(URL(filePath: "/none"))
        case .finished: nil
        }
    }

    private var trust: TaskEvent {
        let result = ServerTrustPolicy.disableEvaluation.evaluate(
            ServerTrust(sentChain: [], time: 0), host: "a.test")
        let verdict = PendingVerdict(result, about: ServerTrust(sentChain: [], time: 0))
        return .serverTrust(
            ServerTrustChallenge(verdict, about: origin), ServerTrustQuestion { asker.answered("trust \($0)") })
    }

    private var origin: HTTPOrigin { HTTPOrigin(scheme: .http, host: "a.test", port: 80) }

    private var request: URLRequest { URLRequest(url: URL(filePath: "/")) }

    private func question<Answer>(
        _ form: @escaping @Sendable (Answer) -> DelegateResponse
    ) -> DelegateQuestion<Answer> {
        DelegateQuestion(of: asker, 1, on: loop, form)
    }
}

/// Receives the answers, from any thread.
final class Asker: DelegateAsker {
    let (answers, noted) = AsyncStream<String>.makeStream()

    func answered(_ answer: String) { noted.yield(answer) }

    func answered(_ number: UInt64, _ answer: DelegateResponse) {
        let label =
            switch answer {
            case .redirect(.follow): "redirect follow"
            case .redirect(.deliver): "redirect deliver"
            case .cancel: "cancel"
            case .disposition(let answer): "response \(answer)"
            case .instead: "instead"
            case .challenge(.deliver): "challenge deliver"
            case .challenge(.performDefaultHandling): "challenge default"
            case .challenge(.authorization), .challenge(.credential): "challenge credential"
            case .content(.unavailable): "body unavailable"
            case .content(.content): "body"
            case .retry(let answer): "retry \(answer)"
            }
        answered(label)
    }
}
