// SPDX-License-Identifier: Apache-2.0
import TernHTTP1

/// Sends hops to hosts that want it over TLS, and learns which do (RFC 6797). Prepares a hop before all other policies:
/// they see where it goes.
///
/// What goes to a Unix domain socket stays as it is: it does not leave this machine, and the name in its URL is that of no
/// host, so what another server at `localhost` has said is not about it.
struct StrictTransport: HopPolicy {
    let storage: HSTSStorage
    /// Whether requests without a route of their own go to a Unix domain socket.
    private let usesSocket: Bool
    let interests: HopInterests = [.preparation, .allHeads]

    /// Nil for a session without a storage.
    init?(of configuration: SessionConfiguration) {
        guard let storage = configuration.hstsStorage else { return nil }
        self.storage = storage
        usesSocket = configuration.unixSocket != nil && configuration.dialer == nil
    }

    func prepare(_ hop: Hop, _ history: inout TaskHistory) -> HopPreparation {
        guard !isLocal(hop.request), let origin = try? hop.request.destination.get().origin, origin.scheme == .http,
            storage.requiresTLS(forHost: origin.host), let request = hop.request.secured
        else { return .ready }
        return .change(request)
    }

    func learn(_ head: ResponseHead, _ history: inout TaskHistory) {
        guard head.contains("Strict-Transport-Security"), !isLocal(history.hop.request),
            history.connection?.isServerValidated == true,
            let origin = try? history.hop.request.destination.get().origin, origin.scheme == .https,
            let field = head.bytes(for: "Strict-Transport-Security").first
        else { return }
        storage.receive(field, from: origin.host)
    }

    /// Whether the request goes to a Unix domain socket.
    private func isLocal(_ request: URLRequest) -> Bool {
        (usesSocket || request.unixSocket != nil) && request.dialer == nil
    }
}
