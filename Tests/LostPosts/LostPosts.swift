// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import Synchronization
import TernEngine

/// Counts the POSTs that are lost with the connections of servers that close them, while they are idle, without a word.
///
///     LostPosts [--sessions 16] [--posts 6000] [--gap 10] [--repeats] [--url URL] [MILLISECONDS…]
///
/// Each session makes its POSTs one after another, with a pause of `gap` milliseconds, give or take a twentieth, so that the
/// request and a close after the same time cross. A row for each time after which a server of this program closes, and one
/// for the server at the URL, such as an nginx with `keepalive_timeout 10ms`. With `--repeats` the policy repeats lost posts.
@main
struct LostPosts {
    private struct Count {
        var (posts, lost, lostAgain, failures) = (0, 0, 0, 0)
        var firstFailure: String?

        mutating func add(_ other: Count) {
            posts += other.posts
            lost += other.lost
            lostAgain += other.lostAgain
            failures += other.failures
            firstFailure = firstFailure ?? other.firstFailure
        }
    }

    static func main() async throws {
        var (sessions, posts, gap) = (16, 6000, 10.0)
        var policy = RetryPolicy.lostConnections
        var servers: [(name: String, url: String, own: SilentServer?)] = []
        var arguments = CommandLine.arguments.dropFirst()
        while let argument = arguments.popFirst() {
            switch argument {
            case "--sessions": sessions = arguments.popFirst().flatMap(Int.init) ?? sessions
            case "--posts": posts = arguments.popFirst().flatMap(Int.init) ?? posts
            case "--gap": gap = arguments.popFirst().flatMap(Double.init) ?? gap
            case "--repeats": policy.repeatsLostPosts = true
            case "--url": if let url = arguments.popFirst() { servers.append((url, url, nil)) }
            default:
                guard let time = Int32(argument), let server = SilentServer(after: time, threads: 8 * sessions) else {
                    return say("no number, or no server: \(argument)")
                }
                servers.append(("\(argument) ms", "http://127.0.0.1:\(server.port)/", server))
            }
        }
        say("closes after | POSTs | lost | of these by sessions that had lost one | connections | other failures")
        for server in servers {
            var sum = Count()
            await withTaskGroup(of: Count.self) { group in
                for _ in 0..<sessions {
                    group.addTask { [posts, gap, policy] in await run(server.url, posts, gap, policy) }
                }
                for await count in group { sum.add(count) }
            }
            let connections = server.own.map { "\($0.connections.load(ordering: .relaxed))" } ?? "–"
            say(
                "\(server.name) | \(sum.posts) | \(sum.lost) | \(sum.lostAgain) | \(connections) | \(sum.failures)"
                    + (sum.firstFailure.map { " | \($0)" } ?? ""))
        }
    }

    /// Unbuffered, so that a file has each row when it is known.
    private static func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }

    @concurrent private static func run(
        _ url: String, _ posts: Int, _ gap: Double, _ policy: RetryPolicy
    ) async -> Count {
        var configuration = SessionConfiguration()
        configuration.reactorCount = 1
        configuration.retryPolicy = policy
        let session = Session(configuration: configuration)
        var count = Count()
        guard var request = try? URLRequest(string: url) else { return count }
        request.httpMethod = "POST"
        request.body = .data(Data([120]))
        for _ in 0..<posts {
            count.posts += 1
            do throws(SessionError) {
                _ = try await session.data(for: request)
            } catch {
                if case .transfer(.connectionLost) = error.reason {
                    count.lost += 1
                    if count.lost > 1 { count.lostAgain += 1 }
                } else {
                    count.failures += 1
                    count.firstFailure = count.firstFailure ?? "\(error)"
                }
            }
            let pause = Duration.microseconds(Int(gap * Double.random(in: 950...1050)))
            try? await Task.sleep(for: pause, tolerance: .zero)
        }
        return count
    }
}

/// Answers each request, and closes a connection that has been idle for a time: a thread for each connection.
private final class SilentServer: Sendable {
    let port: UInt16
    let connections = Atomic(0)

    init?(after milliseconds: Int32, threads: Int) {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe bind(listener, pointer, size) == 0 && listen(listener, 1024) == 0
                    && getsockname(listener, pointer, &size) == 0
            }
        }
        guard isBound else { return nil }
        port = UInt16(bigEndian: address.sin_port)
        for _ in 0..<threads {
            Thread.detachNewThread {
                while true {
                    let connection = accept(listener, nil, nil)
                    if connection < 0 { continue }
                    self.connections.add(1, ordering: .relaxed)
                    while Self.serve(connection, milliseconds) {}
                    close(connection)
                }
            }
        }
    }

    /// Waits for a request, after the first for no longer than the time, and answers it. False for the end.
    private static func serve(_ connection: Int32, _ milliseconds: Int32) -> Bool {
        let answer = Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".utf8)
        var bytes = [UInt8](repeating: 0, count: 4096)
        var count = 0
        // The request ends with its content: the byte behind the empty line.
        repeat {
            let received = unsafe recv(connection, &bytes, bytes.count, 0)
            if received <= 0 { return false }
            count = received
        } while bytes[count - 1] != 120
        if unsafe send(connection, answer, answer.count, Int32(MSG_NOSIGNAL)) != answer.count {
            return false
        }
        var entry = pollfd(fd: connection, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&entry, 1, milliseconds) > 0
    }
}
