// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernLibC
import Synchronization
import TernEngine
import TernIO
import TernLock
import TernWebSocket

/// `tern ws`: sends standard input to a WebSocket, and writes the messages that come.
struct WebSocketCommand: ToolCommand {
    static var table: OptionTable<Self> {
        OptionTable(
            .toggle(
                "--binary",
                help: """
                    Send standard input as binary messages, each what a read returns, at most 64 KB; and show binary messages on \
                    a terminal, too.
                    """
            ) { $0.isBinary = $1 },
            .toggle("--wait", help: "When standard input ends, go on until the server closes the WebSocket.") {
                $0.waits = $1
            },
            .value(
                "--subprotocol", as: "name", repeats: true,
                help: "Offer this subprotocol; the preferred one first. -v shows which one the server has chosen."
            ) { $0.configuration.subprotocols.append($1.text) },
            .toggle("--compress", help: "Offer to compress messages (permessage-deflate, RFC 7692).") {
                $0.configuration.compression = $1 ? WebSocketCompression() : nil
            },
            .value(
                "--ping", as: "seconds",
                help: "Send a ping this often, and fail if the server sends nothing within 20 s after one; 0 is never."
            ) { $0.pingInterval = try $1.number() },
            .value(
                "--max-message", as: "bytes",
                help: "The maximum size of a message, 16M by default; K, M and G are powers of 1024."
            ) { $0.configuration.maximumMessageSize = try $1.read(ByteCount.init(argument:)).bytes },
            .group(
                \.options,
                part: OptionTable(
                    .operand("url", help: "A ws, wss, http or https URL.") {
                        $0.arguments.append(Self.httpURL($1.text))
                    },
                    FetchOptions.request(OptionTable()), .group(\.accepted, "Accepted, without effect"))),
            .group(\.global.messages, "Output"), .group(\.global.record, "Output"))
    }

    static let name = "ws"
    static let abstract = "Open a WebSocket: send lines, and write the messages that come."
    static let endsLikeCurl = true
    static let discussion = """
        Each line of standard input is sent as a text message, and each text message that comes is written as a line; a \
        binary message is written as it is. When standard input ends, the WebSocket is closed, and what still comes before \
        the server's close is written. Fails with code 56 if the server closes it with another code than 1000 or 1001.
        """

    var isBinary = false
    var waits = false
    var pingInterval: Double?
    var configuration = WebSocketConfiguration()
    var options = FetchOptions()
    var global = GlobalOptions()

    /// RFC 6455 §3
    private static func httpURL(_ text: String) -> String {
        for (scheme, other) in [("ws:", "http:"), ("wss:", "https:")] where text.lowercased().hasPrefix(scheme) {
            return other + text.dropFirst(scheme.count)
        }
        return text
    }

    func validate() throws {
        try RunOptions(options, global).validate()
        try InputFile.checkStandardInput(options.inputs + ["-"])
    }

    func run() async throws {
        var configuration = configuration
        configuration.closeTimeout = WebSocketPipe.longCloseTimeout
        configuration.pingInterval = try TransferOptions.duration(pingInterval, "--ping")
        let stream = try StreamFetch(options, global)
        let (session, request, delegate) = (stream.session, stream.request, stream.delegate)
        try await stream.follow { [configuration, isBinary, waits] in
            let socket = try await session.webSocket(for: request, configuration: configuration, delegate: delegate)
            let pipe = WebSocketPipe(socket: socket, isBinary: isBinary, waits: waits)
            let outcome = await pipe.outcome()
            // Archives have messages when the connection has ended.
            await session.finish(within: WebSocketPipe.patience)
            try outcome.get()
        }
    }
}

/// Standard input to a WebSocket and its messages to standard output, each as fast as what it goes to takes it.
private final class WebSocketPipe: Sendable {
    /// How long the server may take to answer a close when nobody waits for its messages any more.
    static let patience = Duration.seconds(1)
    /// No limit: the pipe has its own.
    static let longCloseTimeout = Duration.seconds(1 << 30)

    private let socket: WebSocket
    private let isBinary: Bool
    private let waits: Bool
    private let output = SerialQueue()
    /// Counts the beginnings and the ends of writing: it is odd meanwhile.
    private let steps = Atomic(0)
    private let isTerminal = isatty(STDOUT_FILENO) == 1

    init(socket: WebSocket, isBinary: Bool, waits: Bool) {
        (self.socket, self.isBinary, self.waits) = (socket, isBinary, waits)
    }

    /// When the WebSocket is closed. Cancelling the Swift task closes it.
    func outcome() async -> Result<Void, any Error> {
        let failure = Lock<(any Error)?>(nil)
        // It may wait for standard input for ever, which ends with the process.
        Task {
            do {
                try await send()
                if !waits { try await close() }
            } catch is SessionError {
                // The receiver gets it, too.
            } catch {
                failure.withLock { $0 = error }
                startLeaving()
            }
        }
        let outcome: Result<Void, any Error>
        do {
            try await withTaskCancellationHandler {
                try await receive()
            } onCancel: {
                startLeaving()
            }
            outcome = .success(())
        } catch {
            outcome = .failure(error)
        }
        return failure.withLock { $0 }.map { .failure($0) } ?? outcome
    }

    private func send() async throws {
        let input = InputDescriptor()
        var messages = InputMessages(isBinary: isBinary)
        while let piece = try await input.nextPiece(of: "-") {
            for part in try messages.parts(of: piece) { try await send(try messages.message(part)) }
        }
        if let last = messages.lastPart { try await send(try messages.message(last)) }
    }

    /// Not inlined: Swift 6.3.1 fails to compile the function above with it.
    @inline(never)
    private func send(_ message: WebSocketMessage) async throws { try await socket.send(message) }

    /// Gives the server 10 s to close, too, or to send something. Time in which the output waits does not count.
    private func close() async throws {
        try socket.startClose()
        while true {
            let count = steps.load(ordering: .relaxed)
            try await WorkThreads.shared.sleep(for: .seconds(10))
            if socket.closed != nil { return }
            if count.isMultiple(of: 2), count == steps.load(ordering: .relaxed) {
                throw CommandFailure(.timeLimit, "the server did not close the WebSocket within 10 s")
            }
        }
    }

    /// Closes a WebSocket that is wanted no more.
    private func startLeaving() {
        try? socket.startClose(.goingAway)
        WorkThreads.shared.run(after: Self.patience) { [socket] in socket.cancel() }
    }

    /// - Throws: also what a close by the server means, unless it is an ordinary end.
    private func receive() async throws {
        while true {
            let message: WebSocketMessage
            do throws(SessionError) {
                message = try await socket.receive()
            } catch {
                if case .transfer(.webSocket(.closed(let close))) = error.reason,
                    [.normalClosure, .goingAway, .noStatusReceived].contains(close.code)
                {
                    return
                }
                throw error
            }
            do {
                try await output.result { try self.write(message) }
            } catch {
                startLeaving()
                while (try? await socket.receive()) != nil {}
                throw error
            }
        }
    }

    private func write(_ message: WebSocketMessage) throws {
        steps.add(1, ordering: .relaxed)
        defer { steps.add(1, ordering: .relaxed) }
        switch message {
        case .text(let text) where isTerminal: try StandardStreams.print(text)
        case .text(let text): try StandardStreams.write(Data((text + "\n").utf8))
        case .data(let data):
            var terminal = TerminalBytes()
            if isTerminal, !isBinary, terminal.firstControl(in: data) != nil {
                throw CommandFailure(
                    .unwritable,
                    "a binary message holds a control character, which can mess up your terminal: --binary shows it")
            }
            try StandardStreams.write(data)
        }
    }
}

/// What pieces of standard input are as messages: each one, or each line of them.
private struct InputMessages {
    let isBinary: Bool
    private var line = Data()
    private var number = 1

    init(isBinary: Bool) { self.isBinary = isBinary }

    /// The messages that end in the next piece.
    mutating func parts(of piece: Data) throws -> [Data] {
        if isBinary { return [piece] }
        var parts = piece.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { Data($0) }
        line += parts.removeFirst()
        if let last = parts.popLast() {
            parts.insert(line, at: 0)
            line = last
        }
        if line.count > InputFile.maximumLength {
            throw CommandFailure(.unreadable, "line \(number + parts.count) of standard input is longer than 64 MB")
        }
        return parts
    }

    /// A last line without an end.
    var lastPart: Data? { line.isEmpty ? nil : line }

    /// The next of them.
    mutating func message(_ part: Data) throws -> WebSocketMessage {
        if isBinary { return .data(part) }
        guard let text = String(validating: part, as: UTF8.self) else {
            throw CommandFailure(
                .unreadable, "line \(number) of standard input is not UTF-8: --binary sends bytes as they are")
        }
        number += 1
        return .text(text)
    }
}
