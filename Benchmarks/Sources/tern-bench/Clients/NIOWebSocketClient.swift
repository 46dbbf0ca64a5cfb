// SPDX-License-Identifier: Apache-2.0

internal import CCurlMulti
internal import Foundation
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOWebSocket

/// swift-nio's WebSockets, by a handler at the end of each pipeline. One event loop, as for its other clients.
struct NIOWebSocketClient: BenchmarkClient {
    private var asking: [Asking] = []

    init(_ load: Load) async throws {
        for _ in 0..<load.connections { asking.append(try await Self.open(load)) }
    }

    private static func open(_ load: Load) async throws -> Asking {
        guard let url = URL(string: load.url), let host = url.host(), let port = url.port, let messages = load.messages
        else { throw PeerUnavailable(reason: "no WebSocket: \(load.url)") }
        let head = HTTPRequestHead(
            version: .http1_1, method: .GET, uri: url.path, headers: ["Host": "\(host):\(port)"])
        let upgrade = NIOTypedHTTPClientUpgradeConfiguration(
            upgradeRequestHead: head,
            upgraders: [
                NIOTypedWebSocketClientUpgrader(maxFrameSize: load.bodySize) { channel, _ in
                    channel.eventLoop.makeCompletedFuture {
                        let asking = Asking(channel, messages, load)
                        try channel.pipeline.syncOperations.addHandler(asking)
                        return asking
                    }
                }
            ],
            notUpgradingCompletionHandler: { channel in
                channel.eventLoop.makeFailedFuture(PeerUnavailable(reason: "the server opens no WebSocket"))
            })
        return try await ClientBootstrap(group: AsyncHTTPClientSetup.group)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .connect(host: host, port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureUpgradableHTTPClientPipeline(
                        configuration: NIOUpgradableHTTPClientPipelineConfiguration(upgradeConfiguration: upgrade))
                }
            }
            .get()
    }

    func run(until deadline: UInt64) async -> Tally {
        await runLoops(over: asking) { asking in
            await withCheckedContinuation { done in asking.begin(until: deadline) { done.resume(returning: $0) } }
        }
    }
}

extension NIOWebSocketClient {
    /// One connection's messages: each is sent when the one before has been answered.
    private final class Asking: ChannelInboundHandler, @unchecked Sendable {
        typealias InboundIn = WebSocketFrame
        typealias OutboundOut = WebSocketFrame

        /// The most that a frame's header takes: with so much room in front of its payload it needs no buffer of its own.
        private static let headerSize = 14

        // Touched by the channel's event loop only.
        private let channel: any Channel
        private let message: ByteBuffer
        private let opcode: WebSocketOpcode
        private let load: Load
        private var deadline: UInt64 = 0
        private var done: ((Tally) -> Void)?
        private var tally = Tally()
        private var begun: UInt64 = 0
        private var size = 0

        init(_ channel: any Channel, _ messages: Messages, _ load: Load) {
            self.channel = channel
            message = ByteBuffer(bytes: messages.message(for: load.bodySize))
            opcode = messages.areTexts ? .text : .binary
            self.load = load
        }

        func begin(until deadline: UInt64, _ done: @escaping @Sendable (Tally) -> Void) {
            channel.eventLoop.execute { [self] in
                (self.deadline, self.done, tally) = (deadline, done, Tally())
                begun = monotonic_nanoseconds()
                channel.writeAndFlush(frame, promise: nil)
            }
        }

        private var frame: WebSocketFrame {
            var data = channel.allocator.buffer(capacity: Self.headerSize + message.readableBytes)
            data.moveWriterIndex(forwardBy: Self.headerSize)
            data.moveReaderIndex(forwardBy: Self.headerSize)
            data.writeImmutableBuffer(message)
            return WebSocketFrame(fin: true, opcode: opcode, maskKey: .random(), data: data)
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let answer = Self.unwrapInboundIn(data)
            size += answer.length
            guard answer.fin else { return }
            let end = monotonic_nanoseconds()
            tally.record(status: 200, size: size, of: load, from: begun, to: end)
            size = 0
            guard tally.goesOn(at: end, until: deadline) else { return finish() }
            begun = end
            context.writeAndFlush(Self.wrapOutboundOut(frame), promise: nil)
        }

        func channelInactive(context: ChannelHandlerContext) {
            tally.errors += 1
            finish()
        }

        /// The next run may begin before this returns.
        private func finish() { done.take()?(tally) }
    }
}
