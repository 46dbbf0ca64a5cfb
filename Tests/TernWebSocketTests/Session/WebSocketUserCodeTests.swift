// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import TernIO
import TernLock
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport
@testable import TernWebSocket

/// Code of the user that a WebSocket calls in the midst of its work, and that does something to the WebSocket or its session.
@Suite(.timeLimit(.minutes(2))) struct WebSocketUserCodeTests {
    /// What is called.
    enum Place: String, CaseIterable {
        case received, closed
        case sentHandler, receivedHandler, pongHandler
        case saidSent, saidReceived, saidClosed
        case handshake

        fileprivate var isAtClose: Bool { self == .closed || self == .saidClosed }
    }

    /// What it does.
    enum Act: String, CaseIterable {
        case send, receive, ping, close, cancel, release, invalidate, open, block

        fileprivate var needsSocket: Bool { ![.invalidate, .open, .block].contains(self) }
        fileprivate var ends: Bool { [.close, .cancel, .release, .invalidate].contains(self) }
    }

    private static let authority = Result { try CertificateAuthority() }

    @Test(arguments: Place.allCases, Act.allCases)
    func `each call is answered once, and order is kept`(place: Place, act: Act) async throws {
        // There is no WebSocket yet.
        if place == .handshake, act.needsSocket { return }
        for isSecure in [false, true] {
            for number in place.isAtClose || place == .handshake ? [1] : [1, 3] {
                let authority = isSecure ? try Self.authority.get() : nil
                let round = try UserCodeRound(place, act, at: number, authority)
                await round.run()
                await round.expectEnd("\(place) \(act) at call \(number)\(isSecure ? " over TLS" : "")")
            }
        }
    }

    @Test func `what is lent on the reactor is sent, though the stream is not at work, and in its order`() async throws {
        let server = try ScriptedWebSocketServer { _, _ in [] }
        let session = Session.limited()
        let socket = try await session.webSocket(for: URLRequest(server.origin))
        await session.onReactor {
            socket.send(Array("1".utf8).span, isText: true)
            socket.send(.text("2")) { _ in }
            socket.send(Array("3".utf8).span, isText: true)
            socket.send(Array("4".utf8).span, isText: true)
        }
        #expect(await server.waitFor { $0.webSockets.first?.messages.compactMap(\.text) == ["1", "2", "3", "4"] })
        await session.onReactor { socket.send(Array("5".utf8).span, isText: true) }
        #expect(await server.waitFor { $0.webSockets.first?.messages.count == 5 })
        await session.onReactor { socket.send(.text("6")) { [weak socket] _ in socket?.send(Array("7".utf8).span, isText: true) } }
        #expect(await server.waitFor { $0.webSockets.first?.messages.count == 7 })
        withExtendedLifetime(socket) {}
    }

    @Test func `a handler that receives the next message grows no stack`() async throws {
        let count = 3_000
        let server = try ScriptedWebSocketServer(onOpen: (0..<count).map { .text("\($0)") }) { _, _ in [] }
        let observer = MessageCounter()
        let session = Session.limited { $0.observers = [observer] }
        let socket = try await session.webSocket(for: URLRequest(server.origin))
        // As many as are received without a receiver wait.
        #expect(await eventually { observer.receivedCount > 100 })
        let reader = HandlerReader(socket)
        reader.receive()
        #expect(await eventually { reader.count == count })
        #expect(reader.isInOrder)
        #expect(reader.maximumDepth == 1)
    }

    @Test func `a receiver is let go of at the end, though it has its WebSocket`() async throws {
        let server = try ScriptedWebSocketServer(onOpen: [.text("1"), .close()]) { _, _ in [] }
        let session = Session.limited()
        let remains = Lock<[Remaining]>([])
        do {
            let receiver = Owner()
            let socket = try await session.webSocket(for: URLRequest(server.origin), receiver: receiver)
            receiver.socket.withLock { $0 = socket }
            remains.withLock { $0 = [Remaining(object: receiver), Remaining(object: socket)] }
        }
        await session.expectNothingLeft()
        #expect(await eventually { remains.withLock { $0.allSatisfy { $0.object == nil } } })
    }
}

private struct Remaining: Sendable { weak let object: (any AnyObject & Sendable)? }

/// Holds its WebSocket.
private final class Owner: WebSocketReceiver {
    let socket = Lock<WebSocket?>(nil)

    func webSocket(_ socket: WebSocket, didReceive bytes: Span<UInt8>, of message: WebSocketPart) {}
    func webSocket(_ socket: WebSocket, didCloseWith close: WebSocketClose, error: SessionError?) {}
}

/// Counts messages as they arrive.
private final class MessageCounter: SessionObserver {
    private let state = Lock(0)
    var receivedCount: Int { state.withLock { $0 } }

    func observe(_ observation: TaskObservation) {
        if case .webSocket(.received) = observation.event { state.withLock { $0 += 1 } }
    }
}

/// Asks for the next message in the handler of the last.
private final class HandlerReader: Sendable {
    private struct State {
        var texts: [String] = []
        var depths: [UInt: Int] = [:]
        var maximumDepth = 0
    }

    private let socket: WebSocket
    private let state = Lock(State())

    init(_ socket: WebSocket) { self.socket = socket }

    var count: Int { state.withLock { $0.texts.count } }
    var isInOrder: Bool { state.withLock { state in state.texts.enumerated().allSatisfy { $0.element == "\($0.offset)" } } }
    var maximumDepth: Int { state.withLock { $0.maximumDepth } }

    func receive() {
        socket.receive { result in
            guard case .success(.text(let text)) = result else { return }
            let thread = UInt(pthread_self())
            self.state.withLock { state in
                state.texts.append(text)
                state.depths[thread, default: 0] += 1
                state.maximumDepth = max(state.maximumDepth, state.depths[thread, default: 0])
            }
            self.receive()
            self.state.withLock { $0.depths[thread, default: 0] -= 1 }
        }
    }
}

/// One WebSocket with a server that echoes, and code of the user that does something the first time that a call of its place
/// has this number.
private final class UserCodeRound: Sendable {
    private static let messageCount = 5

    private struct State {
        var socket: WebSocket?
        var session: Session?
        /// The calls that must be answered, and those that were, each time.
        var expected: Set<String> = []
        var answers: [String: Int] = [:]
        var placeCallCount = 0
        var hasActed = false
        var received: [String] = []
        /// What came after the end.
        var late: [String] = []
        var isClosed = false
        var isSaidClosed = false
        var closeCount = 0
        var isOtherRunning = false
    }

    private let place: WebSocketUserCodeTests.Place
    private let act: WebSocketUserCodeTests.Act
    private let number: Int
    private let server: ScriptedWebSocketServer
    private let state = Lock(State())
    private let observer = RecordingObserver()

    init(
        _ place: WebSocketUserCodeTests.Place, _ act: WebSocketUserCodeTests.Act, at number: Int,
        _ authority: CertificateAuthority?
    ) throws {
        (self.place, self.act, self.number) = (place, act, number)
        server = try ScriptedWebSocketServer(tls: authority?.issue())
        let observers: [any SessionObserver] = [RoundObserver(self), observer]
        let session =
            if let authority {
                try Session.trusting(authority, connections: 4) { $0.observers = observers }
            } else {
                Session.limited(to: 4) { $0.observers = observers }
            }
        state.withLock { $0.session = session }
    }

    private var session: Session? { state.withLock { $0.session } }
    private var socket: WebSocket? { state.withLock { $0.socket } }

    func run() async {
        await open()
        // After this scope no reference is left but the one in the state.
        start()
        let isEnded = act.ends && !place.isAtClose
        let areAllAnswered = await eventually {
            state.withLock { state in
                if isEnded, state.hasActed { return true }
                let count = (0..<Self.messageCount).count { state.answers["send \($0)"] != nil }
                return count == Self.messageCount && (state.hasActed || place.isAtClose)
                    && state.received.count >= Self.messageCount
            } || place == .handshake && act == .invalidate
        }
        #expect(areAllAnswered, "\(place) \(act): \(state.withLock { "\($0.answers) \($0.received)" })")
        try? socket?.startClose()
        drop()
    }

    /// Waits until those who wait were told, and drops what is held.
    private func drop() {}

    private func open() async {
        guard let session else { return }
        let receiver: RoundReceiver? = place == .receivedHandler ? nil : RoundReceiver(self)
        let delegate = HandshakeDelegate(self)
        do throws(SessionError) {
            let socket = try await session.webSocket(
                for: URLRequest(url: URL(string: server.url())!), receiver: receiver, delegate: delegate)
            state.withLock { $0.socket = socket }
        } catch {
            #expect(place == .handshake && act == .invalidate, "\(error)")
        }
    }

    private func start() {
        guard let socket else { return }
        for number in 0..<Self.messageCount {
            expect("send \(number)")
            socket.send(.text("\(number)")) { [self] _ in
                answer("send \(number)")
                call(.sentHandler)
            }
            expect("ping \(number)")
            socket.ping { [self] _ in
                answer("ping \(number)")
                call(.pongHandler)
            }
            if place == .receivedHandler { receive("receive \(number)") }
        }
    }

    private func receive(_ name: String) {
        expect(name)
        socket?.receive { [self] result in
            answer(name)
            if case .success(.text(let text)) = result { note(text) }
            call(.receivedHandler)
        }
    }

    private func expect(_ name: String) { state.withLock { _ = $0.expected.insert(name) } }
    private func answer(_ name: String) { state.withLock { $0.answers[name, default: 0] += 1 } }

    func note(_ text: String) {
        state.withLock { state in
            state.received.append(text)
            if state.isClosed { state.late.append(text) }
        }
    }

    func noteClose() {
        state.withLock { state in
            state.isClosed = true
            state.closeCount += 1
        }
        call(.closed)
    }

    func said(_ event: WebSocketEvent) {
        state.withLock { state in
            if state.isSaidClosed { state.late.append("\(event)") }
            if case .closed = event { state.isSaidClosed = true }
        }
        switch event {
        case .sent: call(.saidSent)
        case .received: call(.saidReceived)
        case .closed: call(.saidClosed)
        }
    }

    func call(_ place: WebSocketUserCodeTests.Place) {
        guard place == self.place else { return }
        let isNow = state.withLock { state in
            state.placeCallCount += 1
            if state.placeCallCount != number || state.hasActed { return false }
            state.hasActed = true
            return true
        }
        if isNow { perform() }
    }

    private func perform() {
        switch act {
        case .send:
            for number in [1, 4] {
                expect("send x\(number)")
                socket?.send(.text("x\(number)")) { [self] _ in answer("send x\(number)") }
                socket?.send(Array("x\(number + 1)".utf8).span, isText: true)
                socket?.send(Array("x\(number + 2)".utf8).span, isText: true)
            }
        case .receive: if socket != nil { receive("receive x") }
        case .ping:
            expect("ping x")
            socket?.ping { [self] _ in answer("ping x") }
        case .close: try? socket?.startClose()
        case .cancel: socket?.cancel()
        case .release:
            // Released here.
            _ = state.withLock { $0.socket.take() }
        case .invalidate: session?.invalidateAndCancel()
        case .open: openOther()
        case .block: usleep(20_000)
        }
    }

    private func openOther() {
        guard let session else { return }
        expect("other")
        Task { [self] in
            do throws(SessionError) {
                let other = try await session.webSocket(for: URLRequest(url: URL(string: server.url("/other"))!))
                try await other.send("other")
                _ = try await other.receive()
                try await other.close()
            } catch {
                Issue.record("\(error)")
            }
            answer("other")
        }
    }

    func expectEnd(_ name: String) async {
        let isAnswered = await eventually {
            state.withLock { state in state.expected.allSatisfy { state.answers[$0] != nil } }
        }
        let missing = state.withLock { state in state.expected.filter { state.answers[$0] == nil }.sorted() }
        #expect(isAnswered, "\(name): \(missing) are not answered")
        if place != .handshake || act != .invalidate {
            #expect(await eventually { state.withLock { $0.socket == nil || $0.isSaidClosed } }, "\(name)")
        }
        #expect(await server.waitFor { $0.openConnections == 0 }, "\(name)")
        let session = state.withLock { state in
            defer { (state.session, state.socket) = (nil, nil) }
            return state.session
        }
        await session?.expectNothingLeft()
        await session?.settle()
        session?.invalidateAndCancel()
        let end = state.withLock { $0 }
        #expect(end.hasActed, "\(name)")
        #expect(end.answers.values.allSatisfy { $0 == 1 }, "\(name): \(end.answers)")
        #expect(end.late == [], "\(name): \(end.late)")
        #expect(end.closeCount <= 1, "\(name)")
        #expect(observer.faults == [], "\(name)")
        for socket in server.webSockets where socket.request.target == "/" {
            let texts = socket.messages.compactMap(\.text)
            #expect(texts.filter { !$0.hasPrefix("x") } == (0..<Self.messageCount).map(String.init).prefix(texts.count { !$0.hasPrefix("x") }).map(\.self), "\(name): \(texts)")
            #expect(texts.filter { $0.hasPrefix("x") } == texts.filter { $0.hasPrefix("x") }.sorted(), "\(name): \(texts)")
            #expect(socket.violations == [], "\(name)")
            if act == .send, !place.isAtClose { #expect(texts.count == Self.messageCount + 6, "\(name): \(texts)") }
        }
        let own = end.received.filter { !$0.hasPrefix("x") }
        #expect(own == own.sorted(), "\(name): \(end.received)")
    }
}

private final class RoundReceiver: WebSocketReceiver {
    private let round: UserCodeRound

    init(_ round: UserCodeRound) { self.round = round }

    func webSocket(_ socket: WebSocket, didReceive bytes: Span<UInt8>, of message: WebSocketPart) {
        let text = String(copying: try! UTF8Span(validating: bytes))
        round.note(text)
        round.call(.received)
        // It stays valid, whatever was done.
        #expect(text == String(copying: try! UTF8Span(validating: bytes)))
    }

    func webSocket(_ socket: WebSocket, didCloseWith close: WebSocketClose, error: SessionError?) { round.noteClose() }
}

private final class RoundObserver: SessionObserver {
    private weak let round: UserCodeRound?

    init(_ round: UserCodeRound) { self.round = round }

    func observe(_ observation: TaskObservation) {
        guard observation.task.originalRequest.url?.path() == "/" else { return }
        if case .webSocket(let event) = observation.event { round?.said(event) }
    }
}

private final class HandshakeDelegate: SessionTaskDelegate {
    private let round: UserCodeRound

    init(_ round: UserCodeRound) { self.round = round }

    func handle(_ event: TaskEvent, of task: SessionTask) {
        if case .willSend = event { round.call(.handshake) }
        NoOpTaskDelegate.shared.handle(event, of: task)
    }
}
