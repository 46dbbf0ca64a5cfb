// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernLock
import TernTesting
import TestProofs
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport
@testable import TernWebSocket

/// What a session holds for its WebSockets is given back, wherever one waits and however it ends.
@Suite(.timeLimit(.minutes(2))) struct WebSocketLeftoversTests {
    /// The number of WebSockets of one row.
    private static let countOfRow = Rounds.of(3)

    /// What a WebSocket waits for.
    enum Wait: String, CaseIterable {
        /// The answer to the first request, to the one after a 401, a 302 or a 503, and to CONNECT.
        case handshake, refused, redirected, retried, tunnel
        case receive, send, ping, close
        /// That messages are received, which wait.
        case unread
        /// The rest of a long message, of which a receiver has the beginning.
        case longMessage

        /// Whether there is no WebSocket yet.
        var isOpening: Bool { [.handshake, .refused, .redirected, .retried, .tunnel].contains(self) }
    }

    /// How it ends.
    enum End: String, CaseIterable {
        case taskCancelled, cancelled, released, invalidated, sessionReleased, hungUp, reset, violation

        fileprivate var isOfServer: Bool { [.hungUp, .reset, .violation].contains(self) }
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let wait: Wait
        let end: End

        var testDescription: String { "\(wait), \(end)" }

        /// A handshake retains its session, and has no WebSocket to cancel.
        fileprivate var isPossible: Bool {
            !wait.isOpening || ![.cancelled, .released, .sessionReleased].contains(end)
        }

        /// How those who wait may fail.
        fileprivate var kinds: Set<SessionError.Kind> {
            switch end {
            case .cancelled: [.cancelled]
            case .invalidated, .sessionReleased: [.cancelled, .sessionInvalidated]
            case .taskCancelled, .released: wait.isOpening ? [.cancelled] : [.cancelled, .webSocket]
            case _ where wait == .tunnel: [.proxy, .connectionLost]
            case .violation: wait.isOpening ? [.malformedResponse] : [.webSocket]
            // What was sent and not read makes the end of a server a reset.
            case .hungUp: wait.isOpening ? [.connectionLost] : [.webSocket, .connectionLost]
            case .reset: [.connectionLost]
            }
        }
    }

    private static let rows = Wait.allCases.flatMap { wait in End.allCases.map { Row(wait: wait, end: $0) } }
        .filter(\.isPossible)

    @Test(arguments: rows)
    func `a WebSocket that waits leaves nothing`(row: Row) async throws {
        let situation = try WaitingSockets(row)
        let waiters = try await situation.begin(Self.countOfRow)
        let sockets = await situation.end()
        for waiter in waiters { await waiter.expectEnd(row.kinds, "\(row.testDescription)") }
        // Receivers are told of the end as long as there is a WebSocket.
        withExtendedLifetime(consume sockets) {}
        await situation.expectNothingLeft()
        for waiter in waiters { #expect(waiter.areCallsSingle, "\(row.testDescription)") }
    }
}

/// Those who wait for one WebSocket, and what they are told.
private final class WaitingCalls: WebSocketReceiver {
    /// How often each was called, and how it failed; nil for no failure.
    private struct State {
        var expected: Set<String> = []
        var ends: [String: [SessionError.Kind?]] = [:]
        var pieceCount = 0
        var events: [WebSocketEvent] = []
    }

    private let state = Lock(State())

    func expect(_ name: String) { state.withLock { _ = $0.expected.insert(name) } }

    func call(_ name: String, _ error: SessionError?) {
        state.withLock { $0.ends[name, default: []].append(error?.reason.kind) }
    }

    var pieceCount: Int { state.withLock { $0.pieceCount } }

    func webSocket(_ socket: WebSocket, didReceive bytes: Span<UInt8>, of message: WebSocketPart) {
        state.withLock { $0.pieceCount += 1 }
    }

    func webSocket(_ socket: WebSocket, didCloseWith close: WebSocketClose, error: SessionError?) {
        // A close without an error ends the connection, too.
        state.withLock { $0.ends["receiver", default: []].append(error?.reason.kind ?? .webSocket) }
    }

    /// Everyone is called soon, and with one of these failures; a close is answered without one.
    func expectEnd(_ kinds: Set<SessionError.Kind>, _ row: String) async {
        let isDone = await eventually {
            state.withLock { state in state.expected.allSatisfy { state.ends[$0] != nil } }
        }
        let (expected, ends) = state.withLock { ($0.expected, $0.ends) }
        #expect(isDone, "\(row): \(expected.subtracting(ends.keys)) are not called")
        for (name, failures) in ends {
            for failure in failures {
                if name == "close" { continue }
                #expect(failure.map(kinds.contains) == true, "\(row): \(name) gets \(failure?.rawValue ?? "nothing")")
            }
        }
    }

    /// Nobody was called twice.
    var areCallsSingle: Bool { state.withLock { state in state.ends.values.allSatisfy { $0.count == 1 } } }
}

/// A table of weak references, and of what was said of messages.
private final class Remains: SessionObserver {
    private struct Entry: Sendable { weak let object: (any AnyObject & Sendable)? }

    private let entries = Lock<[Entry]>([])
    private let receivedMessages = Lock(0)
    let observesOwnTasks = true

    func add(_ object: any AnyObject & Sendable) { entries.withLock { $0.append(Entry(object: object)) } }

    var names: [String] { entries.withLock { $0.compactMap { $0.object.map { "\(type(of: $0))" } } } }
    var receivedCount: Int { receivedMessages.withLock { $0 } }

    func created(_ task: any ObservedTask) -> (any Sendable)? {
        add(task)
        return nil
    }

    func observe(_ observation: TaskObservation) {
        if case .webSocket(.received) = observation.event { receivedMessages.withLock { $0 += 1 } }
    }
}

/// The keys of handshakes so far.
private final class SeenKeys: Sendable {
    private let keys = Lock<Set<String?>>([])

    func isNew(_ key: String?) -> Bool { keys.withLock { $0.insert(key).inserted } }
}

/// WebSockets of one session that wait.
private final class WaitingSockets: Sendable {
    private static let messageCount = 100

    private let row: WebSocketLeftoversTests.Row
    private let origin: ScriptedOrigin
    private let latch: Latch
    private let session: SessionHolder
    private let remains = Remains()
    private let observer = RecordingObserver()
    private let held = Lock<(sockets: [WebSocket], tasks: [Task<Void, Never>])>(([], []))
    private let calls = Lock<[WaitingCalls]>([])

    init(_ row: WebSocketLeftoversTests.Row) throws {
        (self.row, latch) = (row, try Latch())
        origin = try Self.origin(row, latch)
        let observers: [any SessionObserver] = [remains, observer]
        session = SessionHolder(Session.limited(to: 10) { $0.observers = observers })
    }

    private static func origin(
        _ row: WebSocketLeftoversTests.Row, _ latch: Latch
    ) throws -> ScriptedOrigin {
        let last: OriginStep =
            switch row.end {
            case .hungUp: .close
            case .reset: .reset
            case .violation: .send("SSH-2.0\r\n\r\n")
            default: .awaitClose
            }
        if row.wait == .tunnel {
            return try ScriptedOrigin(onAccept: { _ in [.takeHead, .hold, last] }) { _, _ in [] }
        }
        let script = script(row, latch)
        let close = [(name: "Connection", value: "close")]
        let seen = SeenKeys()
        return try ScriptedOrigin { _, request in
            if !row.wait.isOpening { return .webSocket(request, script: script) }
            if !seen.isNew(request.value(of: "Sec-WebSocket-Key")) { return [.hold, last] }
            // What a kept-alive connection loses would be sent again.
            switch row.wait {
            case .refused:
                return [.respond(status: 401, fields: [("WWW-Authenticate", "Basic realm=\"r\"")] + close), .close]
            case .redirected: return [.respond(status: 302, fields: [("Location", "/second")] + close), .close]
            case .retried: return [.respond(status: 503, fields: close), .close]
            default: return [.hold, last]
            }
        }
    }

    private static func script(_ row: WebSocketLeftoversTests.Row, _ latch: Latch) -> WebSocketScript {
        let last: WebSocketStep =
            switch row.end {
            case .hungUp: .hangUp
            case .reset: .reset
            case .violation: .frame(WebSocketFrame(3, []))
            default: .awaitEnd
            }
        let piece = [UInt8](repeating: 1, count: 4096)
        let first: [WebSocketStep] =
            switch row.wait {
            case .unread: (0..<messageCount).map { _ in .binary(piece) }
            case .longMessage: [.frame(WebSocketFrame(.binary, piece, isFinal: false))]
            default: []
            }
        return WebSocketScript(onOpen: first + [.wait(latch), last])
    }

    private var configuration: WebSocketConfiguration {
        var configuration = WebSocketConfiguration()
        // Only where this side closes is its limit what ends the wait for a server that says nothing.
        let isClosing = [.taskCancelled, .released].contains(row.end)
        configuration.closeTimeout = isClosing ? .milliseconds(100) : .seconds(60)
        return configuration
    }

    private func request() throws -> URLRequest {
        var request = try URLRequest(origin, "/first")
        switch row.wait {
        case .refused: request.credential = PasswordCredential(user: "a", password: "b")
        case .retried:
            var policy = RetryPolicy()
            policy.maximumRetries = 1
            policy.backOff.base = .milliseconds(1)
            request.retryPolicy = policy
        case .tunnel:
            request.url = URL(string: "ws://server.test/")
            request.proxy = .through(Proxy(.http, host: "127.0.0.1", port: origin.port))
        default: break
        }
        return request
    }

    /// Opens the WebSockets, and returns when they wait.
    func begin(_ count: Int) async throws -> [WaitingCalls] {
        for _ in 0..<count { try await begin() }
        let calls = calls.withLock { $0 }
        #expect(await isReached(calls), "\(row.testDescription)")
        return calls
    }

    private func begin() async throws {
        let session = try #require(session.session)
        let calls = WaitingCalls()
        self.calls.withLock { $0.append(calls) }
        let (request, configuration) = (try request(), configuration)
        if row.wait.isOpening {
            calls.expect("opening")
            return hold(
                Task {
                    calls.call(
                        "opening",
                        await Self.failure { () throws(SessionError) in
                            _ = try await session.webSocket(for: request, configuration: configuration)
                        })
                })
        }
        let receiver = row.wait == .longMessage ? calls : nil
        let socket = try await session.webSocket(for: request, configuration: configuration, receiver: receiver)
        remains.add(socket)
        if row.end != .released { held.withLock { $0.sockets.append(socket) } }
        wait(for: socket, calls)
        // It is the last reference, but for those of the pending calls.
        if row.end == .released {
            #expect(await isReached([calls]))
            withExtendedLifetime(socket) {}
        }
    }

    private func hold(_ task: Task<Void, Never>) { held.withLock { $0.tasks.append(task) } }

    /// Calls by a Swift task and with a completion handler; by the latter alone if the WebSocket is to be released.
    private func wait(for socket: WebSocket, _ calls: WaitingCalls) {
        func wait(_ name: String, _ body: @escaping @Sendable (WebSocket) async throws(SessionError) -> Void) {
            if row.end == .released { return }
            calls.expect(name)
            hold(
                Task { [socket] in
                    calls.call(name, await Self.failure { () throws(SessionError) in try await body(socket) })
                })
        }
        switch row.wait {
        case .receive:
            wait("receive") { socket throws(SessionError) in _ = try await socket.receive() }
            calls.expect("receive handler")
            socket.receive { calls.call("receive handler", $0.failure) }
        case .send:
            wait("send") { socket throws(SessionError) in try await socket.send(Data(count: 8 << 20)) }
            calls.expect("send handler")
            socket.send(.data(Data(count: 8 << 20))) { calls.call("send handler", $0) }
        case .ping:
            wait("ping") { socket throws(SessionError) in _ = try await socket.ping() }
            calls.expect("ping handler")
            socket.ping { calls.call("ping handler", $0.failure) }
        case .close:
            wait("close") { socket throws(SessionError) in _ = try await socket.close() }
            if row.end == .released { try? socket.startClose() }
        case .longMessage: if row.end != .released { calls.expect("receiver") }
        case .handshake, .refused, .redirected, .retried, .tunnel, .unread: break
        }
        if row.end == .taskCancelled, [.unread, .longMessage].contains(row.wait) {
            // Nobody waits who could be cancelled but one that pings.
            wait("ping") { socket throws(SessionError) in _ = try await socket.ping() }
        }
    }

    private static func failure(_ body: () async throws(SessionError) -> Void) async -> SessionError? {
        do throws(SessionError) {
            try await body()
            return nil
        } catch {
            return error
        }
    }

    private func isReached(_ calls: [WaitingCalls]) async -> Bool {
        let count = self.calls.withLock { $0.count }
        let remains = remains
        switch row.wait {
        case .handshake: return await origin.waitFor { $0.headCount == count }
        case .refused, .redirected, .retried: return await origin.waitFor { $0.headCount == 2 * count }
        case .tunnel: return await origin.waitFor { $0.takenBytes.count == count }
        // It receives no more than fits.
        case .unread: return await eventually { remains.receivedCount >= 10 * count }
        case .longMessage: return await eventually { calls.allSatisfy { $0.pieceCount > 0 } }
        case .receive, .send, .ping, .close:
            // What was asked before on the reactor has been done.
            await session.session?.settle()
            return await origin.waitFor { $0.webSockets.count == count }
        }
    }

    /// Returns what must be kept until all were told.
    func end() async -> [WebSocket] {
        let (sockets, tasks) = held.withLock { held in
            defer { held = ([], []) }
            return held
        }
        switch row.end {
        case .taskCancelled: for task in tasks { task.cancel() }
        case .cancelled: for socket in sockets { socket.cancel() }
        case .released: break
        case .invalidated: session.session?.invalidateAndCancel()
        case .sessionReleased: session.drop()
        case .hungUp, .reset, .violation:
            latch.open()
            try? origin.release()
        }
        if row.wait == .unread, row.end != .taskCancelled { for socket in sockets { await drain(socket) } }
        for task in tasks { await task.value }
        return sockets
    }

    /// Receives the messages that wait, and then how it has ended.
    private func drain(_ socket: WebSocket) async {
        var count = 0
        let error = await Self.failure { () throws(SessionError) in
            while true {
                _ = try await socket.receive()
                count += 1
            }
        }
        let isAsExpected = error.map { row.kinds.contains($0.reason.kind) } == true
        #expect(isAsExpected, "\(row.testDescription): \(error as Any)")
        #expect([.hungUp, .violation].contains(row.end) ? count == Self.messageCount : count > 0)
    }

    func expectNothingLeft() async {
        let row = row.testDescription
        #expect(await origin.waitFor { $0.openConnections == 0 }, "\(row)")
        #expect(await eventually { ClientSockets.count(to: origin.port) == 0 }, "\(row)")
        if let session = session.session { await session.expectNothingLeft() }
        #expect(await eventually { remains.names.isEmpty }, "\(row): \(remains.names) are left")
        #expect(await eventually { observer.areAllOver }, "\(row): \(observer.text)")
        #expect(observer.faults == [], "\(row)")
        session.session?.invalidateAndCancel()
        latch.open()
    }
}

extension Result where Failure == SessionError {
    fileprivate var failure: SessionError? { if case .failure(let error) = self { error } else { nil } }
}
