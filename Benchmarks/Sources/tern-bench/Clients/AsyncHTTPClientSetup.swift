// SPDX-License-Identifier: Apache-2.0

internal import AsyncHTTPClient
internal import NIOCore
internal import NIOPosix
internal import NIOSSL

/// How async-http-client is set up for either of its interfaces: HTTP/1.1 only, enough connections, no decompression.
///
/// One event loop, as Tern has one reactor on the same two cores: with more, its CPU time per request only grows.
enum AsyncHTTPClientSetup {
    static func client(_ load: Load) -> HTTPClient {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.trustRoots = .file(load.authority)
        var configuration = HTTPClient.Configuration(tlsConfiguration: tls, decompression: .disabled)
        configuration.httpVersion = .http1Only
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = load.connections
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        return HTTPClient(eventLoopGroupProvider: .shared(group), configuration: configuration)
    }
}
