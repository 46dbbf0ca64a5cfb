// SPDX-License-Identifier: Apache-2.0

/// Everything that is measured, in the order of the table.
enum Peer: String, Codable, CaseIterable, Sendable {
    case floor
    case wrk
    case ternRuntime = "tern-runtime"
    case ternPlain = "tern-plain"
    case ternPlainChain = "tern-chain-plain"
    case ternRuntimeChain = "tern-chain-runtime"
    case ternReactor = "tern-reactor"
    case ternGlobal = "tern-global"
    case ternDelegate = "tern-delegate"
    case ternChain = "tern-chain"
    case hyperConnection = "hyper-connection"
    case hyperClient = "hyper-client"
    case reqwest
    case go
    case curlMulti = "libcurl"
    case curlCommand = "curl"
    case asyncHTTPClientFutures = "ahc-futures"
    case asyncHTTPClientAsync = "ahc-async"
    case urlSession = "urlsession"
    /// The least that a client of WebSockets does.
    case webSocketLoop = "websocket-loop"
    case nioWebSocket = "nio-websocket"
    case ternReceiver = "tern-receiver"
    /// No client, but the lower bound of those that decode.
    case library

    /// Those with a configurable number of connections, which can be compared in every scenario of requests.
    static let clients = allCases.filter {
        ![.webSocketLoop, .nioWebSocket, .ternReceiver, .library, .curlCommand, .ternGlobal].contains($0)
    }

    var title: String {
        switch self {
        case .floor, .webSocketLoop: "a bare loop in C"
        case .wrk: "wrk"
        case .hyperConnection: "hyper, a connection per task"
        case .hyperClient: "hyper's client"
        case .reqwest: "reqwest"
        case .go: "Go, net/http"
        case .curlMulti: "libcurl, multi"
        case .curlCommand: "the command curl"
        case .asyncHTTPClientFutures: "async-http-client, futures"
        case .asyncHTTPClientAsync: "async-http-client, async"
        case .urlSession: "URLSession"
        case .nioWebSocket: "NIOWebSocket"
        case .library: "the library, from memory"
        case .ternRuntime: "Tern, a plain program with the runtime"
        case .ternPlain: "Tern, a plain program"
        case .ternPlainChain: "Tern, a plain program, request chain"
        case .ternRuntimeChain: "Tern, a plain program with the runtime, request chain"
        case .ternReactor: "Tern, async on its reactor"
        case .ternGlobal: "Tern, async elsewhere"
        case .ternDelegate: "Tern, delegate"
        case .ternChain: "Tern, request chain, handlers"
        case .ternReceiver: "Tern, receiver"
        }
    }

    /// The client to run in this process. Nil for a program that is measured from outside.
    func makeClient(_ load: Load) async throws -> (any BenchmarkClient)? {
        switch self {
        case .floor, .wrk, .curlCommand, .hyperConnection, .hyperClient, .reqwest, .go, .ternRuntime, .ternPlain,
            .ternPlainChain, .ternRuntimeChain:
            nil
        case .curlMulti: try CurlMultiClient(load)
        case .asyncHTTPClientFutures: try AsyncHTTPClientFutures(load)
        case .asyncHTTPClientAsync: AsyncHTTPClientAsync(load)
        case .urlSession: try FoundationURLSession(load)
        case .webSocketLoop: try WebSocketLoop(load)
        case .nioWebSocket: try await NIOWebSocketClient(load)
        case .ternReceiver: try await TernReceiver(load)
        case .library: try DecodingLoop(load)
        case .ternReactor where load.followsEvents: try TernEvents(load, onReactor: true)
        case .ternGlobal where load.followsEvents: try TernEvents(load, onReactor: false)
        case .ternReactor where load.messages != nil: try await TernMessages(load, onReactor: true)
        case .ternGlobal where load.messages != nil: try await TernMessages(load, onReactor: false)
        case .ternReactor: try TernAsync(load, onReactor: true)
        case .ternGlobal: try TernAsync(load, onReactor: false)
        case .ternDelegate: try TernDelegate(load)
        case .ternChain: try TernChain(load)
        }
    }

    /// Why the peer cannot be measured here over that scheme; nil if it can.
    func obstacle(over scheme: Scenario.Scheme) -> String? {
        switch self {
        case .floor, .hyperConnection, .hyperClient, .reqwest, .go, .ternRuntime, .ternPlain, .ternPlainChain,
            .ternRuntimeChain:
            ForeignClient(self)?.obstacle(over: scheme)
        case .wrk: WrkClient.path == nil ? "wrk is not installed (apt-get install wrk)" : nil
        case .curlCommand: CurlCommand.path == nil ? "curl is not installed (apt-get install curl)" : nil
        case .curlMulti: CurlMultiClient.version == nil ? "built without libcurl4-openssl-dev" : nil
        case .asyncHTTPClientFutures, .asyncHTTPClientAsync, .ternReactor, .ternGlobal, .ternDelegate, .ternChain,
            .webSocketLoop, .nioWebSocket, .ternReceiver, .library:
            nil
        case .urlSession: scheme == .https ? AuthorityNamespace.obstacle : nil
        }
    }
}
