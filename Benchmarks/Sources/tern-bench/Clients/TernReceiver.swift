// SPDX-License-Identifier: Apache-2.0

internal import CCurlMulti
internal import TernEngine
internal import TernWebSocket

/// Tern's WebSockets by a receiver, which is lent each piece of a message.
struct TernReceiver: BenchmarkClient {
    private let session: Session
    private var asking: [Asking] = []

    init(_ load: Load) async throws {
        session = Session(configuration: try TernSetup.configuration(load))
        for _ in 0..<load.connections { asking.append(try await Asking.open(load, in: session)) }
    }

    func run(until deadline: UInt64) async -> Tally {
        await runLoops(over: asking) { asking in
            await withCheckedContinuation { done in asking.begin(until: deadline) { done.resume(returning: $0) } }
        }
    }
}

extension TernReceiver {
    /// One connection's messages: each is sent when the one before has been answered.
    private final class Asking: WebSocketReceiver, @unchecked Sendable {
        // Touched by the reactor's thread, once the first message was sent.
        private var socket: WebSocket?
        private let message: [UInt8]
        private let isText: Bool
        private let load: Load
        private var deadline: UInt64 = 0
        private var done: ((Tally) -> Void)?
        private var tally = Tally()
        private var begun: UInt64 = 0
        private var size = 0

        static func open(_ load: Load, in session: Session) async throws -> Asking {
            let asking = Asking(load)
            asking.socket = try await TernSetup.webSocket(load, in: session, receiver: asking)
            return asking
        }

        private init(_ load: Load) {
            message = load.messages?.message(for: load.bodySize) ?? []
            isText = load.messages?.areTexts == true
            self.load = load
        }

        func begin(until deadline: UInt64, _ done: @escaping (Tally) -> Void) {
            (self.deadline, self.done, tally) = (deadline, done, Tally())
            if let socket { send(on: socket, at: monotonic_nanoseconds()) }
        }

        func webSocket(_ socket: WebSocket, didReceive bytes: Span<UInt8>, of part: WebSocketPart) {
            size += bytes.count
            guard part.isLast else { return }
            let end = monotonic_nanoseconds()
            tally.record(status: 200, size: size, of: load, from: begun, to: end)
            size = 0
            if tally.goesOn(at: end, until: deadline) { send(on: socket, at: end) } else { finish() }
        }

        func webSocket(_ socket: WebSocket, didCloseWith close: WebSocketClose, error: SessionError?) {
            tally.errors += 1
            finish()
        }

        private func send(on socket: WebSocket, at now: UInt64) {
            begun = now
            let message = message
            socket.send(message.span, isText: isText)
        }

        /// The next run may begin before this returns.
        private func finish() { done.take()?(tally) }
    }
}
