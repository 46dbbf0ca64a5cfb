// SPDX-License-Identifier: Apache-2.0

/// Connects to the first address that answers (RFC 8305 §5): families alternate, a next attempt starts when the one
/// before has failed or 250 ms have passed, the first connection wins and the others close.
///
/// Lives on one loop, and on its thread only. Ends by exactly one call of `completion`, which may come before `start`
/// returns; or by `cancel`, or when its owner lets go of it, and none.
public final class Connector {
    /// A connected socket, still registered with the loop under `token`, with an interest that tells nothing new. Whoever
    /// takes it over either transfers the registration at once or ends it before the socket closes.
    @frozen
    public struct Connected: ~Copyable {
        /// The socket, connected.
        public let socket: Socket
        /// What the loop knows it by.
        public let token: RegistrationToken
        /// The address that answered first.
        public let address: SocketAddress
    }

    /// What became of it, told once, on the loop's thread.
    public typealias Completion = (consuming Result<Connected, ConnectError>) -> Void

    private static let stagger = Duration.milliseconds(250)

    private let loop: ReactorLoop
    private var remaining: [SocketAddress]
    private var attempts: [Attempt] = []
    private var failures: [ConnectError.Attempt] = []
    private var timer: RegistrationToken?
    private var completion: Completion?

    /// `addresses` in order of preference; an empty list fails with no attempts.
    public init(addresses: [SocketAddress], loop: ReactorLoop, completion: @escaping Completion) {
        self.loop = loop
        self.completion = completion
        remaining = Self.interleaved(addresses)
    }

    deinit {
        // After the loop's own end the registrations are gone already, and the sockets close with the attempts.
        if loop.isCurrent { closeAll() }
    }

    /// Begins with the first address. On the loop's thread, once.
    public func start() {
        tryNext()
    }

    /// Closes every attempt; `completion` is not called any more.
    public func cancel() {
        finish()
    }

    /// Alternates families, beginning with the first address's (RFC 8305 §4).
    static func interleaved(_ addresses: [SocketAddress]) -> [SocketAddress] {
        guard addresses.count > 1, let first = addresses.first else { return addresses }
        var same = addresses.filter { $0.isIPv6 == first.isIPv6 }[...]
        var other = addresses.filter { $0.isIPv6 != first.isIPv6 }[...]
        var result: [SocketAddress] = []
        while !same.isEmpty || !other.isEmpty {
            if let address = same.popFirst() { result.append(address) }
            if let address = other.popFirst() { result.append(address) }
        }
        return result
    }

    private func tryNext() {
        while completion != nil, !remaining.isEmpty {
            let address = remaining.removeFirst()
            do throws(SystemError) {
                let socket = try Socket.connecting(to: address)
                if try socket.isConnectedAlready() {
                    let token = try loop.register(socket.descriptor, interest: [], handler: Nobody.shared)
                    return succeed(Connected(socket: socket, token: token, address: address))
                }
                attempts.append(try Attempt(consume socket, to: address, loop: loop, connector: self))
                return scheduleNext()
            } catch {
                failures.append(ConnectError.Attempt(address: address, error: error))
            }
        }
        guard attempts.isEmpty, let completion else { return }
        finish()
        completion(.failure(ConnectError(attempts: failures)))
    }

    private func scheduleNext() {
        guard !remaining.isEmpty else { return }
        let timer = timer ?? loop.registerTimer(handler: StaggerTimer(connector: self))
        self.timer = timer
        // Not the loop's time: the whole stagger belongs to the attempt that starts now.
        loop.setDeadline(MonotonicInstant.now.advanced(by: Self.stagger), for: timer)
    }

    fileprivate func staggerPassed() {
        tryNext()
    }

    fileprivate func attemptEnded(_ attempt: Attempt, _ outcome: Result<Void, SystemError>) {
        guard let index = attempts.firstIndex(where: { $0 === attempt }) else { return }
        attempts.remove(at: index)
        switch outcome {
        case .success:
            if let connected = attempt.takeConnected() { succeed(connected) }
        case .failure(let error):
            failures.append(ConnectError.Attempt(address: attempt.address, error: error))
            attempt.close()
            tryNext()
        }
    }

    private func succeed(_ connected: consuming Connected) {
        guard let completion else { return loop.deregister(connected.token) }
        finish()
        completion(.success(connected))
    }

    private func finish() {
        completion = nil
        remaining = []
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
    let address: SocketAddress
    private let loop: ReactorLoop
    private weak var connector: Connector?
    private var socket: Socket?
    private var token: RegistrationToken?

    init(
        _ socket: consuming Socket, to address: SocketAddress, loop: ReactorLoop, connector: Connector
    ) throws(SystemError) {
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
        let outcome: Result<Void, SystemError>
        do throws(SystemError) {
            try socket?.finishConnecting()
            outcome = .success(())
        } catch {
            outcome = .failure(error)
        }
        connector.attemptEnded(self, outcome)
    }

    func takeConnected() -> Connector.Connected? {
        guard let token, let socket = socket.take() else { return nil }
        self.token = nil
        return Connector.Connected(socket: socket, token: token, address: address)
    }

    func close() {
        if let token { loop.deregister(token) }
        token = nil
        socket = nil
    }
}

private final class StaggerTimer: ReadinessHandler {
    private weak var connector: Connector?
    init(connector: Connector) { self.connector = connector }
    func ready(_ readiness: Readiness) { connector?.staggerPassed() }
}

/// Is told of a connected socket until somebody takes it over: of nothing, for nothing is of interest.
private final class Nobody: ReadinessHandler, Sendable {
    static let shared = Nobody()
    func ready(_ readiness: Readiness) {}
}
