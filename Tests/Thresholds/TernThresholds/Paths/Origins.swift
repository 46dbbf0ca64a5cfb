// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Synchronization
import TernEngine
import TernLock

/// What lives until the process ends. Whether the end of a session, which other threads see to, comes before that is a
/// matter of chance, and would count.
enum Lasting {
    private static let objects = Lock<[any Sendable]>([])

    static func keep(_ object: some Sendable) { objects.withLock { $0.append(object) } }
}

/// The server in another process, by what it answers; `scripts/check-thresholds` starts it and describes it in a
/// folder.
struct Origins {
    /// One answer that is always the same.
    struct Answer {
        let url: URL
        /// Of the body, once decoded.
        let size: Int
        /// Set as is usual, but for one thread and one connection.
        let configuration: SessionConfiguration

        func check(_ status: Int, _ size: Int) throws {
            guard status == 200, size == self.size else { throw Failure("\(url): \(status) with \(size) bytes") }
        }
    }

    let small: Answer
    /// `small`, for a session on the reactors of the process.
    let shared: Answer
    let compressed: Answer
    let sealed: Answer
    /// `small`, with a jar of 3,000 cookies of 500 other hosts.
    let jar: Answer
    /// What a cache in memory may keep for an hour.
    let kept: Answer
    /// `small`, with `RetryPolicy.standard`.
    let retried: Answer
    /// `small`, with an observer that counts events.
    let observed: Answer

    /// - Parameter folder: holds `port`, `tls-port`, the certificate `ca.pem`, and `text`, which is sent in gzip.
    init(folder: String) throws {
        func content(_ name: String) throws -> String {
            try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
        }
        let plain = "http://127.0.0.1:\(try content("port"))"
        var configuration = SessionConfiguration()
        configuration.httpMaximumConnectionsPerHost = 1
        configuration.reactorCount = 1
        configuration.tls.anchors = .only(try X509Certificate.all(inPEM: content("ca.pem")))
        func answer(_ text: String, _ size: Int) throws -> Answer {
            guard let url = URL(string: text) else { throw Failure("no URL: \(text)") }
            return Answer(url: url, size: size, configuration: configuration)
        }
        small = try answer("\(plain)/", 5)
        configuration.reactorCount = nil
        shared = try answer("\(plain)/", 5)
        configuration.reactorCount = 1
        compressed = try answer("\(plain)/text", try content("text").utf8.count)
        sealed = try answer("https://localhost:\(try content("tls-port"))/", 5)
        configuration.httpCookieStorage = try Self.jar()
        jar = try answer("\(plain)/", 5)
        configuration.httpCookieStorage = nil
        configuration.urlCache = URLCache(memoryCapacity: 1_000_000)
        kept = try answer("\(plain)/kept", 5)
        configuration.urlCache = nil
        configuration.retryPolicy = .standard
        retried = try answer("\(plain)/", 5)
        configuration.retryPolicy = .lostConnections
        configuration.observers = [EventCounter()]
        observed = try answer("\(plain)/", 5)
    }

    private static func jar() throws -> HTTPCookieStorage {
        let jar = HTTPCookieStorage()
        for host in 0..<500 {
            for name in 0..<6 {
                guard let cookie = HTTPCookie(name: "name\(name)", value: "value", domain: "host\(host).example")
                else { throw Failure("no cookie") }
                jar.setCookie(cookie)
            }
        }
        return jar
    }
}

/// Counts what the tasks of a session do.
private final class EventCounter: SessionObserver {
    private let count = Atomic<Int>(0)

    func observe(_ observation: TaskObservation) { count.add(1, ordering: .relaxed) }
}
