// SPDX-License-Identifier: Apache-2.0
import TernEngine

/// Chooses questions: where to, what to ask for, and how the server is to behave.
struct Draft: Sendable {
    let server: ServerProcess.Description
    let isSecure: Bool
    private let behaviours: [Int: [String]]

    init(server: ServerProcess.Description, isSecure: Bool) {
        self.server = server
        self.isSecure = isSecure
        var behaviours: [Int: [String]] = [:]
        for layer in [1, 2, 4] {
            behaviours[layer] = server.behaviours.filter { $0.value & layer != 0 && $0.value < 8 && $0.key != "ledger" }
                .keys.sorted()
        }
        self.behaviours = behaviours
    }

    func question(_ draws: inout Draws) -> Question {
        let (door, layer) = door(&draws)
        let behaviour = behaviour(layer, &draws)
        let method = draws.one(of: "GET", "GET", "GET", "HEAD", "POST", "PUT")
        let nonce = draws.next() | 1
        let host = draws.one(of: "localhost", "127.0.0.1")
        return Question(
            behaviour: behaviour, method: method, nonce: nonce, size: size(of: behaviour, &draws),
            body: method.hasPrefix("P") ? Pattern.bytes(nonce, count: bodySize(&draws)) : [],
            base: "\(isSecure ? "https" : "http")://\(host):\(server.ports[door] ?? 0)")
    }

    func echo(_ draws: inout Draws) -> Question {
        Question(
            behaviour: "ws-echo", method: "GET", nonce: draws.next() | 1, size: Int.random(in: 0...9000, using: &draws),
            body: [], base: "\(isSecure ? "https" : "http")://localhost:\(server.ports[door(&draws).name] ?? 0)")
    }

    /// The dear ones have their scenarios; here each comes so seldom that it is a part of the weather and not all of
    /// it.
    private func door(_ draws: inout Draws) -> (name: String, layer: Int) {
        guard isSecure else { return ("plain", 1) }
        switch Int.random(in: 0..<2000, using: &draws) {
        case 0: return ("path-bomb", 2)
        case 1: return ("huge-modulus", 4)
        case ..<100: return ("wrong-handshake", 2)
        case ..<200: return ("slow-handshake", 2)
        case ..<600: return ("tls12", 4)
        default: return ("tls", 2)
        }
    }

    private func behaviour(_ layer: Int, _ draws: inout Draws) -> String {
        if draws.chance(40) { return "good" }
        return (behaviours[layer] ?? []).randomElement(using: &draws) ?? "good"
    }

    private func size(of behaviour: String, _ draws: inout Draws) -> Int {
        switch behaviour {
        // Milliseconds.
        case "key-updates", "tickets", "hello-requests", "one-byte-records", "empty-records", "warnings":
            draws.one(of: 5, 20, 100)
        case "drips": Int.random(in: 0...300, using: &draws)
        default: draws.chance(3) ? 300_000 : Int.random(in: 0...draws.one(of: 10, 3000, 30_000), using: &draws)
        }
    }

    private func bodySize(_ draws: inout Draws) -> Int {
        draws.chance(3) ? 400_000 : Int.random(in: 0...draws.one(of: 10, 5000), using: &draws)
    }
}
