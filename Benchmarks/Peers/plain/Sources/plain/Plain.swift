// SPDX-License-Identifier: Apache-2.0
// A newcomer's program: each of its tasks awaits one request after the other, on a connection of its own.

import Foundation
import Tern
import TernRuntime

@main
enum Plain {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 8 else { throw Usage() }
        if arguments[1].hasSuffix("-runtime") { try TernRuntime.install() }
        let load = try Load(Array(arguments.dropFirst(2)))
        let client = try Client(load, asChain: arguments[1].hasPrefix("tern-chain-"))
        _ = try await run(client, load, for: load.warmUp)
        let (start, before) = (ContinuousClock.now, ProcessorTime.now)
        let tally = try await run(client, load, for: load.duration)
        print(try Measurement(tally, start.duration(to: .now), since: before).json())
    }

    private static func run(_ client: Client, _ load: Load, for duration: Duration) async throws -> Tally {
        let deadline = ContinuousClock.now + duration
        return try await withThrowingTaskGroup(of: Tally.self) { tasks in
            for _ in 0..<load.connections {
                tasks.addTask {
                    var tally = Tally()
                    repeat {
                        let start = ContinuousClock.now
                        let (status, size) = try await client.fetch()
                        let end = ContinuousClock.now
                        tally.record(status == 200 && size == load.bodySize, start.duration(to: end))
                    } while ContinuousClock.now < deadline
                    return tally
                }
            }
            return try await tasks.reduce(into: Tally()) { $0.add($1) }
        }
    }
}

struct Usage: Error, CustomStringConvertible {
    let description = "plain MODE URL AUTHORITY CONNECTIONS BODY_SIZE WARM_UP_SECONDS SECONDS"
}

struct Load: Sendable {
    let url: URL
    let authority: String
    let connections: Int
    let bodySize: Int
    let warmUp: Duration
    let duration: Duration

    init(_ arguments: [String]) throws {
        guard let url = URL(string: arguments[0]), let connections = Int(arguments[2]),
            let bodySize = Int(arguments[3]),
            let warmUp = Double(arguments[4]), let seconds = Double(arguments[5])
        else { throw Usage() }
        (self.url, authority, self.connections, self.bodySize) = (url, arguments[1], connections, bodySize)
        (self.warmUp, duration) = (.seconds(warmUp), .seconds(seconds))
    }
}

struct Client: Sendable {
    private let load: Load
    private let session: Session
    private let manager: SessionManager?

    init(_ load: Load, asChain: Bool) throws {
        var configuration = SessionConfiguration.default
        configuration.httpMaximumConnectionsPerHost = load.connections
        if load.url.scheme == "https" {
            let pem = try String(contentsOfFile: load.authority, encoding: .utf8)
            configuration.tls.anchors = .only(try X509Certificate.all(inPEM: pem))
        }
        self.load = load
        manager = asChain ? SessionManager(configuration: configuration) : nil
        session = manager?.session ?? Session(configuration: configuration)
    }

    func fetch() async throws -> (status: Int, size: Int) {
        if load.bodySize > 1 << 20 {
            let (bytes, response) = try await session.bytes(for: URLRequest(url: load.url))
            var size = 0
            for try await piece in bytes { size += piece.count }
            return (response.statusCode, size)
        }
        if let manager {
            let response = await manager.request(load.url).validate().serializingData().response
            return (response.response?.statusCode ?? 0, try response.result.get().count)
        }
        let (data, response) = try await session.data(from: load.url)
        return (response.statusCode, data.count)
    }
}
