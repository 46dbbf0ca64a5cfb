// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernIO
import TernLock

@Suite(.timeLimit(.minutes(1))) struct TurnoverTests {
    @Test func `connections that end together and are replaced at once receive none of each other's events`()
        async throws
    {
        try await onLoop { loop in
            let turnover = Turnover(on: loop, total: 5000)
            await turnover.run(width: 64)
            #expect(turnover.completed == 5000)
            #expect(turnover.complaints == [])
            #expect(loop.registrationCount == 0)
            #expect(Census.watched(by: loop.epoll.rawValue) == 1)
        }
    }
}

/// Keeps many connections going. Each ends with its peer, most of them by a reset, takes a neighbour with it whose own
/// event may be in the same batch, and starts two others from within the very call: they get the slots and descriptor
/// numbers that just became free.
private final class Turnover {
    let loop: ReactorLoop
    private let total: Int
    private var started = 0
    private(set) var completed = 0
    private(set) var complaints: [String] = []
    private var active: [Int: Visitor] = [:]
    private var listener: Listener?
    private var end: CheckedContinuation<Void, Never>?

    init(on loop: ReactorLoop, total: Int) {
        self.loop = loop
        self.total = total
    }

    func run(width: Int) async {
        do { listener = try Listener() } catch { return complain("\(error)") }
        await withCheckedContinuation { continuation in
            end = continuation
            for _ in 0..<width { startNext() }
        }
    }

    func startNext() {
        guard started < total, let listener else { return }
        started += 1
        do {
            let socket = try Socket.connecting(to: listener.address)
            let peer = Peer(descriptor: try listener.accept())
            let visitor = Visitor(number: started, socket: socket, turnover: self)
            try visitor.register()
            active[started] = visitor
            // Sent with the mail, after the batch: an event in this one cannot be the newcomer's.
            let number = started
            loop.execute { [peer = Envelope(peer)] in peer.deliver("\(number)", resets: number % 8 != 0) }
        } catch {
            complain("\(error)")
            ended(started)
        }
    }

    func abandonAnother() {
        guard let (number, visitor) = active.first else { return }
        visitor.leave()
        startNext()
        ended(number)
    }

    func complain(_ text: String) { complaints.append(text) }

    func ended(_ number: Int) {
        active[number] = nil
        completed += 1
        if completed == total { end?.resume() }
    }
}

private final class Visitor: ReadinessHandler {
    private let number: Int
    private let turnover: Turnover
    private var socket: Socket?
    private var token: RegistrationToken?
    private var text = ""

    init(number: Int, socket: consuming Socket, turnover: Turnover) {
        self.number = number
        self.turnover = turnover
        self.socket = consume socket
    }

    func register() throws {
        guard let socket = socket.take() else { return }
        token = try turnover.loop.register(socket.descriptor, interest: .readable, handler: self)
        self.socket = consume socket
    }

    func ready(_ readiness: Readiness) {
        do {
            guard let (result, received) = try socket?.receiveText() else {
                return turnover.complain("\(number) was called after its end")
            }
            switch result {
            case .bytes: text += received
            case .wouldBlock: turnover.complain("\(number) was called for nothing")
            case .endOfStream: finish()
            }
        } catch {
            finish()
        }
    }

    private func finish() {
        if text != "\(number)" { turnover.complain("\(number) received \(text)") }
        leave()
        turnover.ended(number)
        turnover.abandonAnother()
        turnover.startNext()
    }

    func leave() {
        if let token { turnover.loop.deregister(token) }
        token = nil
        socket = nil
    }
}

/// Carries a peer's end into a closure.
private final class Envelope: Sendable {
    private let peer: Lock<Peer?>

    init(_ peer: consuming Peer) { self.peer = Lock(peer) }

    func deliver(_ text: String, resets: Bool) {
        let peer = peer.withLock { $0.take() }
        guard let peer else { return }
        // Fails when the visitor has left already.
        try? peer.send(text)
        if resets { try? peer.reset() }
    }
}
