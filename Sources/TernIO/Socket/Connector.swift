// SPDX-License-Identifier: Apache-2.0

/// Connects to the first address that answers, as `HappyEyeballs` has it; the others close. A Unix domain socket whose
/// backlog is full is knocked at until it has room: for as long as the caller waits, two minutes at most.
///
/// Lives on one loop, and on its thread only. Ends by exactly one call of `completion`, which may come before `start`
/// returns; or by `cancel`, or when its owner lets go of it, and none.
public final class Connector {
    /// A connected socket, still registered with the loop under `token`, with an interest that tells nothing new. The
    /// new owner either transfers the registration at once or ends it before the socket closes.
    @frozen
    public struct Connected: ~Copyable {
        /// The socket, connected.
        public let socket: Socket
        /// What the loop knows it by.
        public let token: RegistrationToken
        /// The address that answered first.
        public let address: TransportAddress
        /// The address of our end; nil in the Unix domain, where clients have no name.
        public let localAddress: TransportAddress?
    }

    /// What became of it, told once, on the loop's thread.
    public typealias Completion = (consuming Result<Connected, ConnectError>) -> Void

    private let loop: ReactorLoop
    private let localAddress: TransportAddress?
    private var plan: HappyEyeballs
    private var attempts: [Attempt] = []
    private var timer: RegistrationToken?
    private var completion: Completion?

    /// `addresses` in order of preference; an empty list fails with no attempts. What is under way at the deadline, if
    /// there is one, fails with `ETIMEDOUT`, or `EAGAIN` where a backlog was full. Sockets are bound to `localAddress`
    /// if it is given; the kernel chooses the port if that is 0.
    public init(
        addresses: [TransportAddress], from localAddress: TransportAddress? = nil, deadline: MonotonicInstant? = nil,
        loop: ReactorLoop,
        completion: @escaping Completion
    ) {
        self.loop = loop
        self.localAddress = localAddress
        self.completion = completion
        plan = HappyEyeballs(addresses: addresses, deadline: deadline)
    }

    deinit {
        // After the loop's own end the registrations are gone already, and the sockets close with the attempts.
        if loop.isCurrent { closeAll() }
    }

    /// Begins with the first address. On the loop's thread, once.
    public func start() {
        advance()
    }

    /// Fails with what it knows, as at a deadline that is now. For a caller that has a timer of its own.
    public func timedOut() {
        if case .fail(let error) = plan.timedOut() { end(with: .failure(error)) }
    }

    /// Closes every attempt; `completion` is not called any more.
    public func cancel() {
        plan.cancel()
        finish()
    }

    fileprivate func advance() {
        while true {
            // Not the loop's time: what ran since its turn began would be taken from the attempt that starts now.
            switch plan.next(now: .now) {
            case .connect(let number, let address): connect(number, to: address)
            case .wait(let moment): return wait(until: moment)
            case .fail(let error): end(with: .failure(error))
            case .rest: return
            }
        }
    }

    private func connect(_ number: Int, to address: TransportAddress) {
        do throws(SystemCallError) {
            let socket = try Socket.connecting(to: address, from: localAddress)
            switch try socket.progress() {
            case .connected(let local):
                let token = try loop.register(socket.descriptor, interest: [], handler: NoOpHandler.shared)
                succeed(number, Connected(socket: socket, token: token, address: address, localAddress: local))
            case .inProgress:
                attempts.append(
                    try Attempt(number, consume socket, to: address, loop: loop, connector: self))
            }
        } catch {
            plan.failed(number, error, now: .now)
        }
    }

    private func wait(until moment: MonotonicInstant?) {
        if timer == nil, moment == nil { return }
        let timer = timer ?? loop.registerTimer(handler: Timer(connector: self))
        self.timer = timer
        loop.setDeadline(moment, for: timer)
    }

    fileprivate func attemptEnded(_ attempt: Attempt, _ outcome: Result<TransportAddress?, SystemCallError>) {
        guard let index = attempts.firstIndex(where: { $0 === attempt }) else { return }
        attempts.remove(at: index)
        switch outcome {
        case .success(let local):
            if let connected = attempt.takeConnected(from: local) { succeed(attempt.number, connected) }
        case .failure(let error):
            attempt.close()
            plan.failed(attempt.number, error, now: .now)
            advance()
        }
    }

    private func succeed(_ number: Int, _ connected: consuming Connected) {
        guard plan.connected(number) else { return loop.deregister(connected.token) }
        end(with: .success(connected))
    }

    private func end(with result: consuming Result<Connected, ConnectError>) {
        guard let completion else { return }
        finish()
        completion(result)
    }

    private func finish() {
        completion = nil
        closeAll()
        attempts = []
        timer = nil
    }

    private func closeAll() {
        for attempt in attempts { attempt.close() }
        if let timer { loop.deregister(timer) }
    }
}

/// One socket on its way. Weak towards the connector, which closes it at its own end: the loop's table keeps handlers
/// alive, not their owners.
private final class Attempt: ReadinessHandler {
    let number: Int
    private let address: TransportAddress
    private let loop: ReactorLoop
    private weak var connector: Connector?
    private var socket: Socket?
    private var token: RegistrationToken?

    init(
        _ number: Int, _ socket: consuming Socket, to address: TransportAddress, loop: ReactorLoop, connector: Connector
    ) throws(SystemCallError) {
        self.number = number
        self.address = address
        self.loop = loop
        self.connector = connector
        token = nil
        self.socket = nil
        token = try loop.register(socket.descriptor, interest: .writable, handler: self)
        self.socket = consume socket
    }

    func ready(_ readiness: Readiness) {
        guard let connector else { return close() }
        connector.attemptEnded(self, Result { () throws(SystemCallError) in try socket?.finishConnecting() })
    }

    func takeConnected(from local: TransportAddress?) -> Connector.Connected? {
        guard let token, let socket = socket.take() else { return nil }
        self.token = nil
        return Connector.Connected(socket: socket, token: token, address: address, localAddress: local)
    }

    func close() {
        if let token { loop.deregister(token) }
        token = nil
        socket = nil
    }
}

private final class Timer: ReadinessHandler {
    private weak var connector: Connector?
    init(connector: Connector) { self.connector = connector }
    func ready(_ readiness: Readiness) { connector?.advance() }
}

/// The handler of a connected socket until it is taken over: it is told of nothing, because no event is of interest.
private final class NoOpHandler: ReadinessHandler, Sendable {
    static let shared = NoOpHandler()
    func ready(_ readiness: Readiness) {}
}
