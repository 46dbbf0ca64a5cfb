// SPDX-License-Identifier: Apache-2.0
import TernLibC

/// Connects to the first address that answers, in the order that `HappyEyeballs` decides; the other attempts are
/// closed. A connection to a Unix domain socket whose backlog is full is retried until there is room, or for two
/// minutes, unless the caller's deadline comes first.
///
/// Used on one loop, and on its thread only. Ends with exactly one call of `completion`, which may come before `start`
/// returns; or without a call if it is cancelled or released.
public final class Connector {
    /// A connected socket, still registered with the loop under `token`, with an empty interest. The new owner either
    /// takes over the registration at once or ends it before the socket closes.
    @frozen
    public struct Connected: ~Copyable {
        /// The connected socket.
        public let socket: Socket
        /// Its registration with the loop.
        public let token: RegistrationToken
        /// The address that answered first, or that of a socket's peer that was taken over.
        public let address: TransportAddress
        /// The local address; nil in the Unix domain, where clients have no name.
        public let localAddress: TransportAddress?
    }

    /// Receives the result once, on the loop's thread.
    public typealias Completion = (consuming Result<Connected, ConnectError>) -> Void

    private let loop: ReactorLoop
    private let options: SocketOptions
    private var plan: HappyEyeballs
    private var attempts: [Attempt] = []
    private var timer: RegistrationToken?
    private var completion: Completion?

    /// The number of addresses that are tried, of both families in turn: a name server chooses how many a name has.
    package static let maximumAddressCount = 16

    /// `addresses` in order of preference; an empty list fails with no attempts. At the deadline, if there is
    /// one, pending attempts fail with `ETIMEDOUT`, or with `EAGAIN` if a backlog was full. Addresses of another family
    /// than that of the options' local address are left out, unless there are no others.
    public init(
        addresses: [TransportAddress], options: SocketOptions = SocketOptions(), deadline: MonotonicInstant? = nil,
        loop: ReactorLoop,
        completion: @escaping Completion
    ) {
        self.loop = loop
        self.options = options
        self.completion = completion
        let permitted = addresses.filter(options.permits)
        let addresses = permitted.isEmpty ? addresses : permitted
        plan = HappyEyeballs(addresses: addresses, deadline: deadline)
    }

    deinit {
        // If the loop has ended, the registrations are gone, and the sockets close with the attempts.
        if loop.isCurrent { closeAll() }
    }

    /// Starts with the first address. Call once, on the loop's thread.
    public func start() {
        advance()
    }

    /// Fails with the errors so far, as at an immediate deadline. For a caller that has its own timer.
    public func timedOut() {
        if case .fail(let error) = plan.timedOut() { end(with: .failure(error)) }
    }

    /// Closes every attempt; `completion` is not called.
    public func cancel() {
        plan.cancel()
        finish()
    }

    fileprivate func advance() {
        while true {
            // Not the loop's time: the duration of the tick so far would shorten the attempt that starts now.
            switch plan.next(now: loop.exactNow) {
            case .connect(let number, let address): connect(number, to: address)
            case .wait(let moment): return wait(until: moment)
            case .fail(let error): end(with: .failure(error))
            case .rest: return
            }
        }
    }

    private func connect(_ number: Int, to address: TransportAddress) {
        let socket: Socket
        do throws(SocketFailure) {
            socket = try Socket.connecting(to: address, options: options)
        } catch {
            return plan.failed(number, error.error, option: error.option, now: loop.exactNow)
        }
        do throws(SystemCallError) {
            switch try socket.progress() {
            case .connected(let local):
                let token = try loop.register(socket.descriptor, interest: [], handler: NoOpHandler.shared)
                succeed(number, Connected(socket: socket, token: token, address: address, localAddress: local))
            case .inProgress:
                attempts.append(
                    try Attempt(number, consume socket, to: address, loop: loop, connector: self))
            }
        } catch {
            plan.failed(number, error, now: loop.exactNow)
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
            plan.failed(attempt.number, error, now: loop.exactNow)
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

/// One socket that is connecting. It references the connector weakly, which closes the socket at its own end: the
/// loop's table retains handlers, not their owners.
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

    fileprivate func takeConnected(from local: TransportAddress?) -> Connector.Connected? {
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

/// The handler of a connected socket until it is taken over: it is never called, because its interest is empty.
final class NoOpHandler: ReadinessHandler, Sendable {
    static let shared = NoOpHandler()
    func ready(_ readiness: Readiness) {}
}

/// No address of a host could be connected to.
public struct ConnectError: Error, Sendable, Hashable, CustomStringConvertible {
    /// One attempted address and its result.
    public struct Attempt: Sendable, Hashable {
        /// The attempted address.
        public let address: TransportAddress
        /// Why the attempt failed.
        public let error: SystemCallError
        /// The socket option that could not be set; nil if the attempt failed for another reason.
        public let option: SocketOptionError?

        init(address: TransportAddress, error: SystemCallError, option: SocketOptionError? = nil) {
            (self.address, self.error, self.option) = (address, error, option)
        }
    }

    /// Whether an address answered that nothing listens there.
    package var isRefusal: Bool { attempts.contains { $0.error.code == ECONNREFUSED } }

    /// Every attempt, in the order of failure.
    public let attempts: [Attempt]

    /// The option that no socket could be given, that of the first attempt; nil if an attempt failed for another reason,
    /// or none was made.
    public var optionError: SocketOptionError? {
        attempts.allSatisfy { $0.option != nil } ? attempts.first?.option : nil
    }

    /// The addresses and their errors, of the first three. That connecting failed goes without saying.
    public var description: String {
        let shown = attempts.prefix(3).map(\.description).joined(separator: "; ")
        return attempts.count > 3 ? "\(shown); and \(attempts.count - 3) more" : shown
    }
}

extension ConnectError.Attempt {
    fileprivate var description: String {
        if let option { return "\(address): \(option)" }
        return "\(address): \(error.call == .connect ? "" : "\(error.call): ")\(error.message) (errno \(error.code))"
    }
}
