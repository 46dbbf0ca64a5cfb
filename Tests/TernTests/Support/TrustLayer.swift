// SPDX-License-Identifier: Apache-2.0
import Foundation
@testable import TernAFNetworking
import TernLock
import TernTesting

@testable import Tern

/// Where a manager's user can answer server trust challenges.
enum TrustLayer: CaseIterable, Sendable {
    case sessionClosure, sessionCompletion, sessionOverride, taskClosure, taskCompletion, taskOverride, taskDelegate
    case sessionBlock, taskBlock

    typealias Answer = (ChallengeDisposition, Credential?)
    typealias Answering = @Sendable (Challenge) -> Answer

    /// Whether it can answer after it has returned.
    var mayBeLate: Bool {
        switch self {
        case .sessionCompletion, .sessionOverride, .taskCompletion, .taskOverride: true
        case .sessionClosure, .taskClosure, .taskDelegate, .sessionBlock, .taskBlock: false
        }
    }

    /// What came of one request.
    struct Outcome: Sendable {
        let error: SessionError?
        let connection: ConnectionMetrics?

        var rule: String? { error?.reason.rule }
    }

    /// A kind of request.
    enum Kind: CaseIterable, Sendable {
        case data, upload, download
    }

    /// Makes one request with a manager of its own, and lets this layer answer.
    func outcome(
        _ url: String, _ configuration: SessionConfiguration, _ policies: ServerTrustPolicyManager?,
        isLate: Bool = false, kind: Kind = .data,
        _ answer: @escaping Answering
    ) async -> Outcome {
        switch self {
        case .sessionBlock, .taskBlock:
            let manager = AFURLSessionManager(sessionConfiguration: configuration)
            manager.responseSerializer = AFHTTPResponseSerializer()
            manager.manager.serverTrustPolicyManager = policies
            if self == .sessionBlock {
                manager.setSessionDidReceiveAuthenticationChallengeBlock { answer($1) }
            } else {
                manager.setTaskDidReceiveAuthenticationChallengeBlock { answer($2) }
            }
            return await Self.outcome(url, manager, kind)
        default:
            let hub = self == .sessionOverride || self == .taskOverride ? Hub() : SessionDelegate()
            let manager = SessionManager(
                configuration: configuration, delegate: hub, serverTrustPolicyManager: policies)
            return await Self.outcome(url, manager, kind) { request in
                install(hub, request, isLate: isLate, answer)
            }
        }
    }

    private func install(
        _ hub: SessionDelegate, _ request: Request, isLate: Bool, _ answer: @escaping Answering
    ) {
        let respond: @Sendable (Challenge, @escaping SessionDelegate.ChallengeCompletion) -> Void = {
            challenge, completion in
            let (disposition, credential) = answer(challenge)
            guard isLate else { return completion(disposition, credential) }
            DispatchQueue.global().async {
                completion(disposition, credential)
                completion(.cancelAuthenticationChallenge, nil)
            }
        }
        switch self {
        case .sessionClosure: hub.sessionDidReceiveChallenge = { answer($1) }
        case .sessionCompletion: hub.sessionDidReceiveChallengeWithCompletion = { respond($1, $2) }
        case .taskClosure: hub.taskDidReceiveChallenge = { answer($2) }
        case .taskCompletion: hub.taskDidReceiveChallengeWithCompletion = { respond($2, $3) }
        case .taskDelegate: request.delegate.taskDidReceiveChallenge = { answer($2) }
        case .sessionOverride: (hub as? Hub)?.forSession.withLock { $0 = respond }
        case .taskOverride: (hub as? Hub)?.forTask.withLock { $0 = respond }
        case .sessionBlock, .taskBlock: break
        }
    }

    /// Makes one request with `manager`.
    static func outcome(
        _ url: String, _ manager: SessionManager, _ kind: Kind = .data, _ prepare: (Request) -> Void = { _ in }
    ) async -> Outcome {
        manager.startRequestsImmediately = false
        let request: Request
        let error: (any Error)?
        switch kind {
        case .data, .upload:
            let data = kind == .data ? manager.request(url) : manager.upload(Data("x".utf8), to: url)
            prepare(data)
            data.resume()
            error = await data.serializingData().response.error
            request = data
        case .download:
            let download = manager.download(url)
            prepare(download)
            download.resume()
            error = await download.serializingData().response.error
            request = download
        }
        return Outcome(error: error as? SessionError, connection: request.task?.metrics?.connection)
    }

    private static func outcome(_ url: String, _ manager: AFURLSessionManager, _ kind: Kind) async -> Outcome {
        guard let request = try? URLRequest(string: url) else { return Outcome(error: nil, connection: nil) }
        let kept = Lock<SessionTask?>(nil)
        let error = await withCheckedContinuation { (continuation: CheckedContinuation<SessionError?, Never>) in
            let task: SessionTask =
                switch kind {
                case .data: manager.dataTask(with: request) { continuation.resume(returning: $2 as? SessionError) }
                case .upload:
                    manager.uploadTask(with: request, from: Data("x".utf8), progress: nil) {
                        continuation.resume(returning: $2 as? SessionError)
                    }
                case .download:
                    manager.downloadTask(with: request, progress: nil, destination: nil) {
                        continuation.resume(returning: $2 as? SessionError)
                    }
                }
            kept.withLock { $0 = task }
            task.resume()
        }
        return Outcome(error: error, connection: kept.withLock { $0 }?.metrics?.connection)
    }

    /// A hub that overrides both methods, and calls what they override where a test has no answer.
    private final class Hub: SessionDelegate, @unchecked Sendable {
        typealias Respond = @Sendable (Challenge, @escaping ChallengeCompletion) -> Void
        let forSession = Lock<Respond?>(nil)
        let forTask = Lock<Respond?>(nil)

        override func urlSession(
            _ session: Session, didReceive challenge: Challenge, completionHandler: @escaping ChallengeCompletion
        ) {
            if let respond = forSession.withLock({ $0 }) { return respond(challenge, completionHandler) }
            super.urlSession(session, didReceive: challenge, completionHandler: completionHandler)
        }

        override func urlSession(
            _ session: Session, task: SessionTask, didReceive challenge: Challenge,
            completionHandler: @escaping ChallengeCompletion
        ) {
            if let respond = forTask.withLock({ $0 }) { return respond(challenge, completionHandler) }
            super.urlSession(session, task: task, didReceive: challenge, completionHandler: completionHandler)
        }
    }
}
