// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import CCurlMulti
internal import TernEngine

/// Tern by delegate tasks, which receive the body in place, or are called when it is a file.
struct TernDelegate: BenchmarkClient {
    private let load: Load
    private let session: Session
    private let request: URLRequest

    init(_ load: Load) throws {
        self.load = load
        session = Session(
            configuration: try TernSetup.configuration(load), serverTrustPolicyManager: try TernSetup.policies(load))
        request = try TernSetup.request(load)
    }

    func run(until deadline: UInt64) async -> Tally {
        await runLoops(load) {
            await withCheckedContinuation { done in
                Chain(session, request, load, deadline) { done.resume(returning: $0) }.begin()
            }
        }
    }
}

extension TernDelegate {
    /// One connection's requests: each begins when the one before has completed.
    private final class Chain: SessionDownloadDelegate, @unchecked Sendable {
        // Touched by one callback after the other.
        private let session: Session
        private let request: URLRequest
        private let load: Load
        private let deadline: UInt64
        private let done: (Tally) -> Void
        private var tally = Tally()
        private var begun: UInt64 = 0
        private var status = 0
        private var size = 0

        init(
            _ session: Session, _ request: URLRequest, _ load: Load, _ deadline: UInt64,
            _ done: @escaping (Tally) -> Void
        ) {
            self.session = session
            self.request = request
            self.load = load
            self.deadline = deadline
            self.done = done
        }

        func begin() {
            (begun, status, size) = (monotonic_nanoseconds(), 0, 0)
            guard let path = load.download else { return session.dataTask(with: request, delegate: self).resume() }
            let target = URL(filePath: path, directoryHint: .notDirectory)
            session.downloadTask(with: request, to: target, delegate: self).resume()
        }

        func task(_ task: SessionTask, didReceive response: HTTPURLResponse) { status = response.statusCode }

        func task(_ task: SessionTask, didReceive bytes: Span<UInt8>) { size += bytes.count }

        func downloadTask(
            _ task: SessionDownloadTask, didWriteData bytesWritten: Int64, totalBytesWritten: Int64,
            totalBytesExpectedToWrite: Int64
        ) { size = Int(totalBytesWritten) }

        func downloadTask(_ task: SessionDownloadTask, didFinishDownloadingTo location: URL) {}

        func task(_ task: SessionTask, didCompleteWith error: SessionError?) {
            let end = monotonic_nanoseconds()
            tally.record(status: error == nil ? status : 0, size: size, of: load, from: begun, to: end)
            if tally.goesOn(at: end, until: deadline) { begin() } else { done(tally) }
        }
    }
}
