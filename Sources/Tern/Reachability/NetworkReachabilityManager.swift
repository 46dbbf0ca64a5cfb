// SPDX-License-Identifier: Apache-2.0
public import Dispatch
import Foundation
import TernEngine
import TernLock

/// Reports whether there is a route to a host, or to the internet, and when that changes. Reads the machine's links and
/// routes and sends nothing, so a reachable host may still not answer.
///
/// Thread-safe. Sendable because its state is behind a lock; a subclass must keep that.
open class NetworkReachabilityManager: @unchecked Sendable {
    /// Whether there is a route.
    public enum NetworkReachabilityStatus: Sendable, Hashable {
        /// It cannot be determined.
        case unknown
        /// There is no route.
        case notReachable
        /// There is one.
        case reachable(ConnectionType)
    }

    /// The kind of link.
    public enum ConnectionType: Sendable, Hashable {
        /// Any but the others; loopback too.
        case ethernetOrWiFi
        /// A link to a mobile network: its name begins like those of modems.
        case wwan
    }

    /// Receives the current status.
    @preconcurrency public typealias Listener = @Sendable (NetworkReachabilityStatus) -> Void

    private struct State {
        var listener: Listener?
        var queue: DispatchQueue
        /// The last status that the listener received.
        var told: NetworkReachabilityStatus?
        /// Counts starts and stops.
        var run = 0
        var isListening = false
    }

    private let monitor: PathMonitor
    private let state = Lock(State(queue: DispatchQueue(label: "tern.reachability", qos: .utility)))

    /// Creates a manager of one host, by name or IP literal. Returns nil if the string can be neither.
    public convenience init?(host: String) {
        if host.isEmpty || host.utf8.contains(where: { $0 <= 0x20 }) { return nil }
        self.init(watching: host)
    }

    /// Creates a manager of the internet: whether there is a route out of the machine's own networks.
    public convenience init?() { self.init(watching: nil) }

    private init(watching host: String?) { monitor = PathMonitor(host: host) }

    deinit { monitor.stop() }

    /// Whether there is a route.
    open var isReachable: Bool { isReachableOnWWAN || isReachableOnEthernetOrWiFi }

    /// Whether there is a route over a mobile network.
    open var isReachableOnWWAN: Bool { networkReachabilityStatus == .reachable(.wwan) }

    /// Whether there is a route over another link.
    open var isReachableOnEthernetOrWiFi: Bool { networkReachabilityStatus == .reachable(.ethernetOrWiFi) }

    /// The current status. A host's name is resolved while there is a listener; before that the status is that of the
    /// network in general.
    open var networkReachabilityStatus: NetworkReachabilityStatus {
        switch monitor.path {
        case .unknown: .unknown
        case .none: .notReachable
        case .link(let name): .reachable(Self.type(ofLink: name))
        }
    }

    /// The queue of the listener. By default a serial queue of the manager: a server never runs its main queue.
    open var listenerQueue: DispatchQueue {
        get { state.withLock { $0.queue } }
        set { state.withLock { $0.queue = newValue } }
    }

    /// Called soon after listening begins, and after each change.
    @preconcurrency open var listener: Listener? {
        get { state.withLock { $0.listener } }
        set { state.replace(\.listener, with: newValue) }
    }

    /// Starts to listen, or starts again. False if the system does not allow it.
    @discardableResult
    open func startListening() -> Bool {
        let run = state.withLock { state in
            state.run += 1
            state.told = nil
            state.isListening = true
            return state.run
        }
        return monitor.start { [weak self] in self?.look(run) }
    }

    /// Stops calling the listener.
    open func stopListening() {
        state.withLock { state in
            state.run += 1
            state.isListening = false
        }
        monitor.stop()
    }

    private func look(_ run: Int) {
        listenerQueue.async { [weak self] in self?.tell(run) }
    }

    private func tell(_ run: Int) {
        let status = networkReachabilityStatus
        let listener = state.withLock { state -> Listener? in
            guard state.run == run, state.isListening, state.told != status else { return nil }
            state.told = status
            return state.listener
        }
        listener?(status)
    }

    /// The names of modems: `wwan0`, `wwp0s20u3` and `wws…` from systemd, `ppp0`, `rmnet0`.
    private static func type(ofLink name: String) -> ConnectionType {
        ["wwan", "wwp", "wws", "wwx", "ppp", "rmnet"].contains { name.hasPrefix($0) } ? .wwan : .ethernetOrWiFi
    }
}
