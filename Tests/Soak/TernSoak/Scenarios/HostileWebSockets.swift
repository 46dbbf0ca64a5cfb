// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernEngine
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
        do throws(SessionError) {
            let socket = try await session?.webSocket(
                for: request, configuration: use.configuration, receiver: use.reader == .receiver ? Sink() : nil)
            guard let socket else { return nil }
            // An end of its own has all the time that it takes.
            let limit = use.ending == .cancelled ? 0.2 : order.patience / 2
            Self.clock.asyncAfter(deadline: .now() + limit) { [weak socket] in socket?.cancel() }
            switch use.reader {
            case .sequence, .receiver: for try await _ in socket {}
            case .handler: return await withCheckedContinuation { Self.fallBehind(socket, $0) }
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

    /// Begins when messages wait, and is slower than the server: on a small stack, which must not grow with them.
    private static func fallBehind(_ socket: WebSocket, _ ended: CheckedContinuation<SessionError?, Never>) {
        let thread = Thread {
            usleep(20_000)
            receive(from: socket, slowlyOn: ThreadTime.currentThread, ended)
        }
        thread.stackSize = 512 * 1024
        thread.start()
    }

    /// From the end of the last, as programs do that are used to handlers.
    private static func receive(
        from socket: WebSocket, slowlyOn thread: Int32, _ ended: CheckedContinuation<SessionError?, Never>
    ) {
        socket.receive { result in
            if ThreadTime.currentThread == thread { usleep(10) }
            switch result {
            case .success: receive(from: socket, slowlyOn: thread, ended)
            case .failure(let error): ended.resume(returning: error)
            }
        }
    }
}

/// Takes the messages on the reactor. The end is told to those who wait, too.
private final class Sink: WebSocketReceiver {
    func webSocket(_ socket: WebSocket, didReceive bytes: Span<UInt8>, of message: WebSocketPart) {}
    func webSocket(_ socket: WebSocket, didCloseWith close: WebSocketClose, error: SessionError?) {}
}
