// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import TernEngine
internal import TernWebSocket

/// Tern's WebSockets by async/await: one task per connection, which has each message whole.
struct TernMessages: BenchmarkClient {
    private let load: Load
    private let session: Session
    private let message: WebSocketMessage
    private let executor: (any TaskExecutor)?
    private var sockets: [WebSocket] = []

    /// Tasks on the global executor.
    init(_ load: Load) async throws { try await self.init(load, onReactor: false) }

    init(_ load: Load, onReactor: Bool) async throws {
        guard let messages = load.messages else { throw PeerUnavailable(reason: "no messages") }
        self.load = load
        session = Session(configuration: try TernSetup.configuration(load))
        let bytes = messages.message(for: load.bodySize)
        message = messages.areTexts ? .text(String(decoding: bytes, as: UTF8.self)) : .data(Data(bytes))
        executor = onReactor ? session.executors.first : nil
        for _ in 0..<load.connections { sockets.append(try await TernSetup.webSocket(load, in: session)) }
    }

    func run(until deadline: UInt64) async -> Tally {
        await runLoops(over: sockets, on: executor) { socket in
            await loop(load, until: deadline) {
                try await socket.send(message)
                return (200, try await socket.receive().size)
            }
        }
    }
}

extension WebSocketMessage {
    /// In bytes.
    fileprivate var size: Int {
        switch self {
        case .text(let text): text.utf8.count
        case .data(let data): data.count
        }
    }
}
