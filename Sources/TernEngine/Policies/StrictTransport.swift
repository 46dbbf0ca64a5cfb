// SPDX-License-Identifier: Apache-2.0
import TernHTTP1

/// Sends hops to hosts that want it over TLS, and learns which do (RFC 6797). Prepares a hop before all other policies:
/// they see where it goes.
struct StrictTransport: HopPolicy {
    let storage: HSTSStorage
    let interests: HopInterests = [.preparation, .allHeads]

    /// Nil for a session without a storage.
    init?(of configuration: SessionConfiguration) {
        guard let storage = configuration.hstsStorage else { return nil }
        self.storage = storage
    }

    func prepare(_ hop: Hop, _ history: inout TaskHistory) -> HopPreparation {
        guard let origin = try? hop.request.destination.get().origin, origin.scheme == .http,
            storage.requiresTLS(forHost: origin.host), let request = hop.request.secured
        else { return .ready }
        return .change(request)
    }

    func learn(_ head: ResponseHead, _ history: inout TaskHistory) {
        guard head.contains("Strict-Transport-Security"), history.connection?.isServerValidated == true,
            let origin = try? history.hop.request.destination.get().origin, origin.scheme == .https,
            let field = head.bytes(for: "Strict-Transport-Security").first
        else { return }
        storage.receive(field, from: origin.host)
    }
}
