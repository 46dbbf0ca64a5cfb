// SPDX-License-Identifier: Apache-2.0

internal import CCurlMulti
internal import Foundation
internal import FoundationNetworking
internal import Synchronization

/// Foundation's URLSession with a delegate that discards.
final class FoundationURLSession: NSObject, BenchmarkClient, URLSessionDataDelegate {
    private struct Flight {
        var begin: UInt64
        var status = 0
        var size = 0
    }

    private struct State {
        var deadline: UInt64 = 0
        var tally = Tally()
        var flights: [Int: Flight] = [:]
        var done: CheckedContinuation<Tally, Never>?
    }

    private let load: Load
    private let url: URL
    private let state = Mutex(State())
    private let session = Mutex<URLSession?>(nil)

    init(_ load: Load) throws {
        guard let url = URL(string: load.url) else { throw PeerUnavailable(reason: "URLSession refuses \(load.url)") }
        self.load = load
        self.url = url
        super.init()
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = load.connections
        configuration.urlCache = nil
        configuration.httpCookieStorage = nil
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        let session = URLSession(configuration: configuration, delegate: self, delegateQueue: queue)
        self.session.withLock { $0 = session }
    }

    func run(until deadline: UInt64) async -> Tally {
        await withCheckedContinuation { done in
            state.withLock { $0 = State(deadline: deadline, done: done) }
            for _ in 0..<load.connections { begin() }
        }
    }

    private func begin() {
        guard let task = session.withLock({ $0?.dataTask(with: url) }) else { return }
        state.withLock { $0.flights[task.taskIdentifier] = Flight(begin: monotonic_nanoseconds()) }
        task.resume()
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        state.withLock { $0.flights[dataTask.taskIdentifier]?.size += data.count }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let status = (task.response as? HTTPURLResponse)?.statusCode ?? 0
        let end = monotonic_nanoseconds()
        let (goesOn, done) = state.withLock { state in
            if let flight = state.flights.removeValue(forKey: task.taskIdentifier) {
                state.tally.record(status: status, size: flight.size, of: load, from: flight.begin, to: end)
            }
            let goesOn = state.tally.goesOn(at: end, until: state.deadline)
            return (goesOn, !goesOn && state.flights.isEmpty ? state.done.take() : nil)
        }
        if goesOn { begin() }
        done?.resume(returning: state.withLock { $0.tally })
    }
}
