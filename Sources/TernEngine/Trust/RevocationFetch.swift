// SPDX-License-Identifier: Apache-2.0
import Dispatch
import TernTLS
import TernLock

/// One question under way: collects what comes back, up to a limit, and makes an answer of it.
final class RevocationFetch: SessionTaskDelegate {
    /// Limits for one answer, in bytes.
    static let maximumResponseSize = 64 * 1024
    static let maximumListSize = 8 * 1024 * 1024

    private let question: RevocationQuestion
    private let completion: @Sendable (RevocationAnswer) -> Void
    private let body = Lock<[UInt8]>([])

    /// `completion` is called once, on any thread.
    init(_ question: RevocationQuestion, completion: @escaping @Sendable (RevocationAnswer) -> Void) {
        self.question = question
        self.completion = completion
    }

    func task(_ task: SessionTask, didReceive response: HTTPURLResponse) {
        if response.statusCode != 200 { task.cancel() }
    }

    func task(_ task: SessionTask, didReceive bytes: Span<UInt8>) {
        let fits = body.withLock { body in
            guard body.count + bytes.count <= limit else { return false }
            for index in bytes.indices { body.append(bytes[index]) }
            return true
        }
        if !fits { task.cancel() }
    }

    func task(_ task: SessionTask, didCompleteWith error: EngineError?) {
        if error != nil { return completion(.none) }
        let bytes = body.withLock { $0 }
        switch question {
        case .ocsp: completion(.response(OCSPResponse(der: bytes)))
        case .list:
            // A long list takes longer to read than a reactor has.
            DispatchQueue.global(qos: .userInitiated).async { [completion] in
                completion((try? CertificateRevocationList(der: bytes)).map(RevocationAnswer.list) ?? .none)
            }
        }
    }

    private var limit: Int {
        switch question {
        case .ocsp: Self.maximumResponseSize
        case .list: Self.maximumListSize
        }
    }
}
