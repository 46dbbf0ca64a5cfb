// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import TernEngine
internal import TernWebSocket

/// How Tern is set up for each of its interfaces: one reactor, enough connections.
enum TernSetup {
    static func configuration(_ load: Load) throws -> SessionConfiguration {
        var configuration = SessionConfiguration()
        configuration.httpMaximumConnectionsPerHost = load.connections
        configuration.reactorCount = 1
        configuration.tls.anchors = .only(
            try X509Certificate.all(inPEM: String(contentsOfFile: load.authority, encoding: .utf8)))
        configuration.tls.resumesSessions = load.handshakes != .new
        return configuration
    }

    /// The policies of a load that pins; nil for one that does not.
    static func policies(_ load: Load) throws -> ServerTrustPolicyManager? {
        guard let pin = load.pin, let host = URL(string: load.url)?.host() else { return nil }
        let set = PinSet(pins: [try X509Certificate.PublicKey(pin: pin)])
        return ServerTrustPolicyManager(policies: [host: .pinSet(set)])
    }

    static func request(_ load: Load) throws -> TernEngine.URLRequest {
        guard let url = URL(string: load.url) else { throw PeerUnavailable(reason: "no URL: \(load.url)") }
        var request = TernEngine.URLRequest(url: url)
        request.decodesContent = load.decodesContent
        if let upload = load.upload {
            request.httpMethod = "POST"
            if upload.isForm {
                request.setForm(try form(upload))
            } else {
                // No zeros: the kernel would lend the same page for all of them.
                request.body =
                    upload.path.map { .file(path: $0) } ?? .data(Data(repeating: 0x54, count: upload.size))
            }
        }
        return request
    }

    /// Not inlined: Swift 6.3.1 crashes when it is within a loop.
    @inline(never)
    static func webSocket(
        _ load: Load, in session: Session, receiver: (any WebSocketReceiver)? = nil
    ) async throws -> WebSocket {
        var configuration = WebSocketConfiguration()
        configuration.maximumMessageSize = load.bodySize
        return try await session.webSocket(for: request(load), configuration: configuration, receiver: receiver)
    }

    private static func form(_ upload: Upload) throws -> MultipartForm {
        var form = MultipartForm()
        form.append(UploadForm.text, name: UploadForm.textName)
        if let path = upload.path { try form.append(file: path, name: UploadForm.fileName) }
        return form
    }
}
