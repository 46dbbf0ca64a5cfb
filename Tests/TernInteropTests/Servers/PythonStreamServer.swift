// SPDX-License-Identifier: Apache-2.0

import Foundation
import TernTesting

/// Streams of another implementation: Python's sockets and its TLS, on one free loopback port. The client's first bytes
/// select the protocol.
///
/// `GET /events` counts up from `Last-Event-ID`, three events per connection, up to nine; then there are no more (204).
/// `GET /echo` agrees to the protocol `echo` and returns its input in capitals. `STARTTLS` is answered, and then the
/// same runs over TLS.
final class PythonStreamServer: Sendable {
    private static let program = """
        import socket, ssl, sys, threading

        def echo(stream):
            while piece := stream.recv(65536):
                stream.sendall(piece.upper())
            stream.sendall(b"BYE")

        def events(stream, last):
            if last >= 9:
                return stream.sendall(b"HTTP/1.1 204 No Content\\r\\n\\r\\n")
            stream.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Type: text/event-stream\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n")
            text = "retry: 1\\n" + "".join("id: %d\\ndata: %d\\n\\n" % (n, n * n) for n in range(last + 1, last + 4))
            for byte in text.encode():
                stream.sendall(b"1\\r\\n" + bytes([byte]) + b"\\r\\n")
            stream.sendall(b"0\\r\\n\\r\\n")

        def serve(stream):
            with stream:
                head = b""
                while not head.endswith(b"\\r\\n\\r\\n") and head != b"STARTTLS\\r\\n":
                    piece = stream.recv(1)
                    if not piece:
                        return
                    head += piece
                if head.startswith(b"STARTTLS"):
                    stream.sendall(b"220 go on\\r\\n")
                    with context.wrap_socket(stream, server_side=True) as secured:
                        secured.sendall(b"welcome\\r\\n")
                        echo(secured)
                        secured.unwrap()
                elif head.startswith(b"GET /echo"):
                    stream.sendall(b"HTTP/1.1 101 Switching Protocols\\r\\nUpgrade: echo\\r\\nConnection: Upgrade\\r\\n\\r\\nhello\\r\\n")
                    echo(stream)
                else:
                    fields = dict(line.split(b": ", 1) for line in head.split(b"\\r\\n")[1:] if line)
                    events(stream, int(fields.get(b"Last-Event-ID", b"0")))

        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain("server.pem", "server.key")
        listener = socket.create_server(("127.0.0.1", 0))
        print("port", listener.getsockname()[1], flush=True)
        while True:
            threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
        """

    let port: UInt16
    /// The authority that issued the certificate for `localhost`.
    let authority: CertificateAuthority
    let identity: Identity
    private let folder: TemporaryFolder
    private let process: ServerProcess

    init() async throws {
        authority = try CertificateAuthority()
        identity = try authority.issue(.localhost)
        folder = try TemporaryFolder()
        try folder.write(identity.chainPEM, to: "server.pem")
        try folder.write(identity.privateKeyPEM, to: "server.key")
        process = try ServerProcess("python3", ["-u", "-c", Self.program], package: "python3", in: folder.url)
        let port = { @Sendable (lines: [String]) in
            lines.lazy.filter { $0.hasPrefix("port ") }.compactMap { UInt16($0.dropFirst(5)) }.first
        }
        _ = await process.output.waitFor { port($0) != nil }
        guard let port = port(process.output.lines) else {
            throw ServerError.silent(program: "python3", output: process.output.lines)
        }
        self.port = port
    }

    func url(_ path: String) -> String { "http://localhost:\(port)\(path)" }
}
