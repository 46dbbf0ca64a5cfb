// SPDX-License-Identifier: Apache-2.0
import Foundation
import Tern
import TernTesting
import Testing
import TernLock

/// The request chain against servers that other people wrote.
@Suite struct DataRequestTests {
    @Test func `a large body streams whole, though many records come with one read and the stream is slow`()
        async throws
    {
        let body = Pattern.bytes(20_000_000)
        let server = try await NginxServer(files: ["big": body])
        var configuration = SessionConfiguration.default
        configuration.tls.anchors = .only(try X509Certificate.all(inPEM: server.authority.certificatePEM))
        let manager = SessionManager(configuration: configuration)
        for url in [server.url("/big"), server.secureURL("/big")] {
            let received = Received()
            let response = await withCheckedContinuation { continuation in
                manager.request(url).validate().stream { received.append($0) }.response {
                    continuation.resume(returning: $0)
                }
            }
            #expect(response.error == nil)
            #expect(received.data == body)
        }
    }
}

private final class Received: Sendable {
    private let bytes = Lock(Data())
    var data: Data { bytes.withLock { $0 } }
    func append(_ piece: Data) { bytes.withLock { $0.append(piece) } }
}
