// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernEngine
import TernLock
import TernWebSocket

extension Hostile {
    private static let clock = DispatchQueue(label: "soak.websocket.clock")

    /// Connections that become WebSockets again and again, and beside them a WebSocket of the neighbour, which has to work.
    func openWebSockets() {
        guard let use = order.attack.webSocket else { return }
        for _ in 0..<order.connections { openAgain(use) }
        begin()
        Task.detached { [self] in
            let session = Session()
            repeat { await echo(in: session) } while self.session != nil
            end(nil)
        }
    }

    private func echo(in session: Session) async {
        let question = Question(
            behaviour: "ws-echo", method: "GET", nonce: 5, size: 20_000, body: [],
            base: "http://127.0.0.1:\(order.neighbourPort)")
        let echo = Echo(question: question, pieceSize: 900, isCompressed: true)
        if let report = try? await echo.run(in: session), report.isOver, report.flaws.isEmpty { return }
        noteWrong()
        Findings.tell("\(order.attack.name): the neighbour's WebSocket has failed")
    }

    private func openAgain(_ use: WebSocketUse) {
        guard session != nil else { return }
        begin()
        Task.detached { [self] in
            let error = await attempt(use)
            if session != nil, !use.expects(error) {
                noteWrong()
                Findings.tell("\(order.attack.name): \(error.map { "\($0)" } ?? "complete")")
            }
            openAgain(use)
            end(error)
        }
    }

    /// Opens one, and uses it until it ends or time is up.
    private func attempt(_ use: WebSocketUse) async -> SessionError? {
        let sink = use.reader == .receiver ? Sink() : nil
        do throws(SessionError) {
            let socket = try await session?.webSocket(
                for: request, configuration: use.configuration, receiver: sink)
            guard let socket else { return nil }
            // An end of its own has all the time that it takes.
            let limit = use.ending == .cancelled ? 0.2 : order.patience / 2
            Self.clock.asyncAfter(deadline: .now() + limit) { [weak socket] in socket?.cancel() }
            switch use.reader {
            case .sequence: for try await _ in socket {}
            case .handler: return await withCheckedContinuation { Self.receive(from: socket, $0) }
            case .receiver: return await sink?.waitForEnd()
            case .nobody:
                try? await Task.sleep(for: .seconds(limit))
                for try await _ in socket {}
            case .sender: while true { try await socket.send(Data(count: 100_000)) }
            }
            return nil
        } catch {
            return error
        }
    }

    /// From the end of the last, as programs do that are used to handlers.
    private static func receive(from socket: WebSocket, _ ended: CheckedContinuation<SessionError?, Never>) {
        socket.receive { result in
            switch result {
            case .success: receive(from: socket, ended)
            case .failure(let error): ended.resume(returning: error)
            }
        }
    }
}

/// Receives on the reactor.
private final class Sink: WebSocketReceiver {
    private struct State {
        var end: SessionError??
        var waiter: CheckedContinuation<SessionError?, Never>?
    }

    private let state = Lock(State())

    func webSocket(_ socket: WebSocket, didReceive bytes: Span<UInt8>, of message: WebSocketPart) {}

    func webSocket(_ socket: WebSocket, didCloseWith close: WebSocketClose, error: SessionError?) {
        let waiter = state.withLock { state in
            state.end = .some(error)
            return state.waiter.take()
        }
        waiter?.resume(returning: error)
    }

    func waitForEnd() async -> SessionError? {
        await withCheckedContinuation { waiter in
            let end = state.withLock { state in
                if state.end == nil { state.waiter = waiter }
                return state.end
            }
            if let end { waiter.resume(returning: end) }
        }
    }
}
