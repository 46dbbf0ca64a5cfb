// SPDX-License-Identifier: Apache-2.0

/// The client of a transfer, and its kind.
enum TransferClient: String, Encodable, Hashable, Sendable {
    case curlMulti = "libcurl"
    /// Gathers nothing where the others have bodies whole.
    case curlDiscarding = "libcurl-discarding"
    case curlCommand = "curl"
    case asyncHTTPClient = "ahc"
    case ternReactor = "tern-reactor"
    case ternDelegate = "tern-delegate"
    case ternGlobal = "tern-global"
    /// Takes the coded body as it is.
    case ternReactorCoded = "tern-reactor-coded"
    case ternDelegateCoded = "tern-delegate-coded"
    /// That of the coding.
    case library
    case webSocketLoop = "websocket-loop"
    case nioWebSocket = "nio-websocket"
    case ternReceiver = "tern-receiver"
    /// Downloads what the others receive as a message.
    case ternReactorPlain = "tern-reactor-plain"

    var title: String {
        switch self {
        case .curlMulti: "libcurl, multi"
        case .curlDiscarding: "libcurl, multi, discarding"
        case .curlCommand: "the command curl"
        case .asyncHTTPClient: "async-http-client"
        case .ternReactor: "Tern, async on its reactor"
        case .ternDelegate: "Tern, delegate"
        case .ternGlobal: "Tern, async elsewhere"
        case .ternReactorCoded: "Tern, async on its reactor, not decoding"
        case .ternDelegateCoded: "Tern, delegate, not decoding"
        case .library: "the library, from memory"
        case .webSocketLoop: "a bare loop in C"
        case .nioWebSocket: "NIOWebSocket"
        case .ternReceiver: "Tern, receiver"
        case .ternReactorPlain: "Tern, async on its reactor, a plain download"
        }
    }

    /// The client whose process does it.
    var peer: Peer {
        switch self {
        case .curlMulti, .curlDiscarding: .curlMulti
        case .curlCommand: .curlCommand
        case .asyncHTTPClient: .asyncHTTPClientFutures
        case .ternReactor, .ternReactorCoded, .ternReactorPlain: .ternReactor
        case .ternDelegate, .ternDelegateCoded: .ternDelegate
        case .ternGlobal: .ternGlobal
        case .library: .library
        case .webSocketLoop: .webSocketLoop
        case .nioWebSocket: .nioWebSocket
        case .ternReceiver: .ternReceiver
        }
    }

    /// Whether it is what is measured, and not what it is compared with.
    var hasGoals: Bool {
        switch self {
        case .ternReactor, .ternDelegate, .ternGlobal, .ternReceiver: true
        case .curlMulti, .curlDiscarding, .curlCommand, .asyncHTTPClient, .ternReactorCoded, .ternDelegateCoded,
            .library, .webSocketLoop, .nioWebSocket, .ternReactorPlain:
            false
        }
    }

    /// The client that receives the same without decoding it; nil for one that does not decode.
    var undecoding: TransferClient? {
        switch self {
        case .ternReactor: .ternReactorCoded
        case .ternDelegate: .ternDelegateCoded
        case .curlMulti, .curlDiscarding, .curlCommand, .asyncHTTPClient, .ternGlobal, .ternReactorCoded,
            .ternDelegateCoded, .library, .webSocketLoop, .nioWebSocket, .ternReceiver, .ternReactorPlain:
            nil
        }
    }

    /// Whether it sees the bytes that are sent rather than what they stand for.
    var takesCoded: Bool {
        switch self {
        case .ternReactorCoded, .ternDelegateCoded: true
        case .curlMulti, .curlDiscarding, .curlCommand, .asyncHTTPClient, .ternReactor, .ternDelegate, .ternGlobal,
            .library, .webSocketLoop, .nioWebSocket, .ternReceiver, .ternReactorPlain:
            false
        }
    }
}
