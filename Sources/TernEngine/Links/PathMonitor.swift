// SPDX-License-Identifier: Apache-2.0
import TernIO
import TernLock

/// Reports the network path to a host, and its changes. Sends nothing to the host; only its name is resolved.
package final class PathMonitor: Sendable {
    /// The path to a host.
    package enum Path: Sendable, Hashable {
        /// The kernel cannot be asked.
        case unknown
        /// There is no path.
        case none
        /// Through the link of this name, which is up.
        case link(String)
    }

    private struct State {
        var monitor: LinkMonitor?
        /// Counts starts and stops.
        var run = 0
        /// The addresses of a name, once they have been found.
        var addresses: [IPAddress] = []
    }

    private let host: String?
    private let resolver = Resolver()
    private let state = Lock(State())

    /// - Parameter host: a name or an IP literal; nil for any address beyond the machine's own networks.
    package init(host: String?) { self.host = host }

    /// The current path. For a name, that of its addresses if they have been found, and otherwise the path to the
    /// internet.
    package var path: Path {
        guard let host, let address = IPAddress(literal: host) else {
            if host.map(Self.isLoopback) == true { return .link(Self.loopback) }
            let addresses = state.withLock { $0.addresses }
            return Self.path(toAnyOf: addresses.isEmpty ? Self.world : addresses)
        }
        return Self.isLoopback(address.description) ? .link(Self.loopback) : Self.path(toAnyOf: [address])
    }

    /// Calls `changed` once soon, and whenever the path may have changed, on threads of Tern's. False if the system
    /// cannot report it.
    package func start(_ changed: @escaping @Sendable () -> Void) -> Bool {
        let run = state.withLock { state in
            state.run += 1
            return state.run
        }
        guard
            let monitor = try? LinkMonitor(onChange: { [weak self] in
                self?.resolve(run, changed)
                changed()
            })
        else { return false }
        let old = state.withLock { state -> LinkMonitor? in
            guard state.run == run else { return monitor }
            defer { state.monitor = monitor }
            return state.monitor
        }
        withExtendedLifetime(old) {}
        return true
    }

    /// Stops the calls, except one that is already running.
    package func stop() {
        let old = state.withLock { state in
            state.run += 1
            return state.monitor.take()
        }
        withExtendedLifetime(old) {}
    }

    /// Another network may resolve the name to other addresses.
    private func resolve(_ run: Int, _ changed: @escaping @Sendable () -> Void) {
        guard let host, IPAddress(literal: host) == nil, !Self.isLoopback(host) else { return }
        resolver.resolve(host: host, port: 0) { [weak self] result in
            guard let self else { return }
            let found = ((try? result.get()) ?? []).compactMap(\.host).compactMap(IPAddress.init(literal:))
            let isNews = state.withLock { state in
                guard state.run == run, !found.isEmpty, state.addresses != found else { return false }
                state.addresses = found
                return true
            }
            if isNews { changed() }
        }
    }

    private static func path(toAnyOf addresses: [IPAddress]) -> Path {
        do throws(SystemCallError) {
            for address in addresses {
                if let link = try LinkRoutes.link(to: address) { return .link(link) }
            }
            return .none
        } catch {
            return .unknown
        }
    }

    private static let loopback = "lo"

    /// RFC 6761 §6.3, and the blocks of RFC 1122 §3.2.1.3 and RFC 4291 §2.5.3.
    static func isLoopback(_ host: String) -> Bool {
        let host = host.lowercased()
        return host == "localhost" || host.hasSuffix(".localhost") || host == "::1"
            || host.hasPrefix("127.") && IPAddress(literal: host) != nil
    }

    /// Two addresses of a root name server, which no private network contains. No packet is sent to them.
    private static let world = ["198.41.0.4", "2001:503:ba3e::2:30"].compactMap(IPAddress.init(literal:))
}
