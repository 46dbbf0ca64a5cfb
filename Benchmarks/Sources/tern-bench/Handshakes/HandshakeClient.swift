// SPDX-License-Identifier: Apache-2.0

/// Which client shakes hands, in the order of the table. All of them verify the server's chain.
enum HandshakeClient: String, Encodable, CaseIterable, Sendable {
    case openSSL = "openssl-s_time"
    case curlMulti = "libcurl"
    case tern
    case ternPinned = "tern-pinned"
    case asyncHTTPClient = "ahc"

    var title: String {
        switch self {
        case .openSSL: "openssl s_time"
        case .curlMulti: "libcurl, multi"
        case .tern: "Tern"
        case .ternPinned: "Tern, with a pin set"
        case .asyncHTTPClient: "async-http-client"
        }
    }

    /// The client whose process does it; nil for a program that is measured from outside.
    var peer: Peer? {
        switch self {
        case .openSSL: nil
        case .curlMulti: .curlMulti
        case .tern, .ternPinned: .ternReactor
        case .asyncHTTPClient: .asyncHTTPClientFutures
        }
    }

    /// Why the client cannot be measured here; nil if it can.
    func obstacle(to scenario: HandshakeScenario) -> String? {
        switch self {
        case .openSSL:
            if OpenSSLTime.path == nil {
                "openssl is not installed"
            } else {
                scenario.connections == 1 ? nil : "it knows one connection at a time"
            }
        case .curlMulti: Peer.curlMulti.obstacle(over: .https)
        case .tern, .ternPinned: nil
        case .asyncHTTPClient: scenario.handshakes == .resumed ? "it resumes no sessions" : nil
        }
    }
}
