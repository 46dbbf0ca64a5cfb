// SPDX-License-Identifier: Apache-2.0

/// Which large bodies go where, and over what; and small ones, one at a time.
struct TransferScenario: Encodable, Hashable, Sendable {
    enum Way: Hashable, Sendable {
        case discarding, toFile
        case fromFile, fromMemory, form
        case chunks
        case decoding(ContentCoding)
        case collecting
        case events
        case message, echo

        fileprivate var name: String {
            switch self {
            case .discarding: "download"
            case .toFile: "download-file"
            case .fromFile: "upload-file"
            case .fromMemory: "upload-memory"
            case .decoding(let coding): "decoding-\(coding)"
            case .form, .chunks, .collecting, .events, .message, .echo: "\(self)"
            }
        }
    }

    let way: Way
    var scheme = Scenario.Scheme.http
    /// The decoded size of the transfer in one direction, in bytes; of a form, that of its file. Of a stream, the
    /// number of events; of a WebSocket, that of a message.
    var size = Scenario.Body.large.size

    /// In the order of the table.
    static let all: [TransferScenario] =
        Scenario.Scheme.allCases.flatMap { scheme in
            [Scenario.Body.large.size, gigabyte].flatMap { size in
                [Way.discarding, .toFile, .fromFile, .form].map {
                    TransferScenario(way: $0, scheme: scheme, size: size)
                }
            }
        } + [
            TransferScenario(way: .fromMemory), TransferScenario(way: .chunks, size: ChunkedBody.size),
        ] + ContentCoding.allCases.map { TransferScenario(way: .decoding($0)) } + [
            TransferScenario(way: .collecting, size: 1 << 20), TransferScenario(way: .collecting, size: 10 << 20),
            TransferScenario(way: .events, size: EventStream.count), TransferScenario(way: .message),
            TransferScenario(way: .echo, size: Scenario.Body.kilobyte.size),
        ]

    private static let gigabyte = 1 << 30

    /// Such as `upload-file-100-MB-https`.
    var name: String {
        way == .events ? way.name : "\(way.name)-\(sizeTitle)-\(scheme)".replacing(" ", with: "-")
    }

    /// That of the text which is decoded; nil where nothing is.
    var coding: ContentCoding? { if case .decoding(let coding) = way { coding } else { nil } }

    /// Whether it is so large that one body is enough, and left out where time is short.
    var isHuge: Bool { size >= Self.gigabyte }

    /// How many at a time.
    var connections: Int {
        switch way {
        case .collecting: 16
        case .echo: 64
        case .discarding, .toFile, .fromFile, .fromMemory, .form, .chunks, .decoding, .events, .message: 1
        }
    }

    /// Whether figures are of each event or message, rather than of 10⁹ bytes.
    var countsEach: Bool { [.events, .echo].contains(way) }

    /// Whether something is sent.
    var isUpload: Bool {
        switch way {
        case .fromFile, .fromMemory, .form: true
        case .discarding, .toFile, .chunks, .decoding, .collecting, .events, .message, .echo: false
        }
    }

    /// What the server serves, or what is read to be sent.
    var path: String {
        switch way {
        case .decoding(let coding): "/text.\(coding.pathExtension)"
        case .events: EventStream.path
        case .discarding, .toFile, .fromFile, .fromMemory, .form, .chunks, .collecting, .message, .echo:
            size == Scenario.Body.large.size ? Scenario.Body.large.path : "/\(size)"
        }
    }

    var title: String {
        let what =
            switch way {
            case .discarding: "download of \(sizeTitle)"
            case .toFile: "download of \(sizeTitle) to a file"
            case .fromFile: "upload of \(sizeTitle) from a file"
            case .fromMemory: "upload of \(sizeTitle) from memory"
            case .form: "form with a file of \(sizeTitle)"
            case .chunks: "body of \(ChunkedBody.count) chunks of \(ChunkedBody.chunkSize) bytes"
            case .decoding(let coding): "download of \(sizeTitle) of text, coded with \(coding)"
            case .collecting: "bodies of \(sizeTitle), each had whole, \(connections) connections"
            case .events: "server-sent events, one at a time"
            case .message: "a binary message of \(sizeTitle) over WebSocket"
            case .echo: "echo of messages of \(sizeTitle) over WebSocket, \(connections) connections"
            }
        return scheme == .https ? what + ", https" : what
    }

    private var sizeTitle: String {
        isHuge ? "\(size >> 30) GB" : size < 1 << 20 ? "\(size >> 10) KB" : "\(size >> 20) MB"
    }

    var clients: [TransferClient] {
        switch way {
        case .discarding:
            [.curlMulti, .curlCommand, .asyncHTTPClient, .ternReactor, .ternDelegate]
                + (scheme == .http && !isHuge ? [.ternGlobal] : [])
        case .toFile, .fromFile, .form, .chunks:
            [.curlMulti, .curlCommand, .asyncHTTPClient, .ternReactor, .ternDelegate]
        case .fromMemory: [.curlMulti, .asyncHTTPClient, .ternReactor, .ternDelegate]
        case .decoding:
            [
                .library, .ternReactorCoded, .ternReactor, .ternDelegateCoded, .ternDelegate, .curlMulti, .curlCommand,
            ]
        case .collecting: [.curlMulti, .curlDiscarding, .ternReactor, .ternGlobal]
        case .events: [.curlMulti, .asyncHTTPClient, .ternReactor, .ternGlobal]
        case .message: [.ternReactorPlain, .webSocketLoop, .nioWebSocket, .ternReceiver, .ternReactor, .ternGlobal]
        case .echo: [.webSocketLoop, .nioWebSocket, .ternReceiver, .ternReactor, .ternGlobal]
        }
    }

    /// Whose CPU time the others' is compared with, by what name, and the most that a goal allows as a multiple of it.
    var baseline: (client: TransferClient, title: String, limit: Double) {
        switch way {
        case .discarding, .toFile, .fromFile, .fromMemory, .form, .chunks, .decoding, .collecting, .events:
            (.curlMulti, "libcurl", 1)
        case .message: (.ternReactorPlain, "plain download", 1.2)
        case .echo: (.webSocketLoop, "bare loop", 1.3)
        }
    }

    /// Whether its memory must not depend on how much is transferred.
    var isFlat: Bool {
        switch way {
        case .discarding, .toFile, .fromFile, .form, .chunks, .decoding: true
        case .fromMemory, .collecting, .events, .message, .echo: false
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(name)
    }
}
