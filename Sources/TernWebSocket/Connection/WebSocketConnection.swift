// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernEngine
import TernIO
import TernLock

typealias PingCompletion = @Sendable (Result<Duration, SessionError>) -> Void
typealias CloseCompletion = @Sendable (WebSocketClose) -> Void

/// One WebSocket: what arrives becomes messages, and messages become frames. A machine without I/O, which its stream
/// drives.
///
/// Everything belongs to the reactor's thread but what the last extension has, hence `@unchecked Sendable`.
final class WebSocketConnection: StreamProtocol, @unchecked Sendable {
    private enum Phase {
        /// Exits: closing, closed, failed.
        case open
        /// This side has sent a close frame, and receives until the server's. Exits: closed, failed.
        case closing
        /// Both have: the server ends the connection. Exit: none.
        case closed
        /// The server has broken the protocol, and was told so. Exit: none.
        case failed(SessionError.Reason)
    }

    /// The compressed part of a message that is being decompressed.
    private struct Inflating {
        /// How many of the next bytes belong to it.
        var missing: Int
        let isLast: Bool
    }

    private struct Ping {
        let payload: [UInt8]
        let start: MonotonicInstant
        let completion: PingCompletion?
    }

    /// The most that is received at once within a long frame, and elsewhere.
    private static let wantedInFrame = 256 * 1024
    private static let wantedElsewhere = 64 * 1024
    /// How many windows of decompressed bytes are delivered in a tick.
    private static let windowsPerTick = 4
    /// How many frames are read, and how many that wait are called: a frame of two bytes costs as much as others.
    private static let framesPerTick = 512
    private static let callsPerTick = 64
    /// How long a server may send on that has broken the protocol, and how much.
    private static let afterlife = Duration.seconds(1)
    private static let afterlifeSize = 64 * 1024

    private let configuration: WebSocketConfiguration
    private let inbox: MessageInbox
    private let hasReceiver: Bool
    /// Nil after the end: it may hold its WebSocket.
    private var receiver: (any WebSocketReceiver)?
    private let host: any WebSocketHost
    weak var socket: WebSocket?
    weak var observer: (any WebSocketObserver)?

    // Unchecked: they run no other code, so accesses never overlap.
    @safe @exclusivity(unchecked) private var reader: FrameReader
    @safe @exclusivity(unchecked) private var writer: FrameWriter
    /// Nil without compression.
    @safe @exclusivity(unchecked) private var inflater: MessageInflater?
    private var inflating: Inflating?
    private var windows = 0
    private var frames = 0
    private var isFirstPiece = true
    private var text = UTF8Check()
    private var collected = BodyAccumulator(limit: 0)
    /// The length of the message so far, decompressed.
    private var messageLength = 0

    private var phase = Phase.open
    private var phaseEnd: MonotonicInstant?
    private var afterlifeCount = 0
    /// Why nothing can be sent; what the server sent before is received.
    private var sendFailure: SessionError.Reason?
    /// How much had been sent when the close was given more time.
    private var sentBeforeClose: UInt64 = 0
    private var hasEnded = false
    /// Nobody is to receive what still comes: it is read up to the server's close, and dropped.
    private var hasLeft = false
    /// What the stream ends with; nil while it does not, and `.some(nil)` for no failure.
    private var endReason: SessionError.Reason??
    /// Whether the server has not answered a close in time: it may not have read what the kernel has before it.
    private var isUnanswered = false

    private var pings: [Ping] = []
    private var pingCount: UInt64 = 0
    private var nextPing: MonotonicInstant?
    /// The ping of the interval that waits for a sign of life.
    private var pingSent: MonotonicInstant?
    private var lastReceived: MonotonicInstant?
    private var isReceiving = true
    private var closeCompletions: [CloseCompletion] = []
    private var completed: [(SendCompletion, SessionError?)] = []
    private var isTakingRequests = false
    /// Whether the stream goes on by itself after the call that is running, or was asked to.
    private var isInTick = false
    private var isWoken = false

    private let requests = Lock(Requests())

    /// What other threads have asked for.
    private struct Requests {
        enum Request {
            case send(FrameWriter.Message)
            case ping(PingCompletion)
            case close(WebSocketClose, CloseCompletion?)
            case leave
            case goOn
        }

        var list: [Request] = []
        /// After the end there are no more.
        var end: SessionError?
        var close: WebSocketClose?
        var closedHere = false
    }

    init(
        _ host: any WebSocketHost, _ configuration: WebSocketConfiguration, _ parameters: DeflateParameters?,
        _ receiver: (any WebSocketReceiver)? = nil
    ) throws(ContentDecodingError) {
        self.host = host
        var configuration = configuration
        configuration.maximumMessageSize = max(0, configuration.maximumMessageSize)
        (self.configuration, self.receiver, hasReceiver) = (configuration, receiver, receiver != nil)
        inbox = MessageInbox()
        let limit = configuration.maximumMessageSize
        reader = FrameReader(allowsCompression: parameters != nil, limit: limit)
        writer = FrameWriter(parameters, configuration.compression)
        inflater = if let parameters { try MessageInflater(parameters, limit: limit) } else { nil }
    }

    /// Begins with the pings. On the reactor's thread.
    func begin() {
        if let interval = configuration.pingInterval { nextPing = host.tickTime.advanced(by: interval) }
    }
}

// Receiving
extension WebSocketConnection {
    var wanted: Int {
        switch phase {
        case .open, .closing: break
        case .closed, .failed: return Self.wantedElsewhere
        }
        if !hasReceiver, !hasLeft, !inbox.hasRoom { return 0 }
        // What is decompressed in several ticks waits here.
        let most = inflater == nil ? Self.wantedInFrame : Self.wantedElsewhere
        return min(max(Self.wantedElsewhere, reader.missingCount), most)
    }

    var hasMore: Bool { inflating != nil && wanted > 0 }

    func receive(_ bytes: Span<UInt8>) -> Int {
        isInTick = true
        defer { isInTick = false }
        if !bytes.isEmpty { lastReceived = host.tickTime }
        var offset = 0
        do throws(WebSocketFailure) {
            while isListening, windows < Self.windowsPerTick, frames < Self.framesPerTick {
                if inflating != nil {
                    try inflate(bytes, from: &offset)
                } else if offset == bytes.count {
                    break
                } else if try !takeFrame(bytes, from: &offset) {
                    break
                }
                if !hasReceiver, !hasLeft, isFirstPiece, !inbox.hasRoom { break }
            }
        } catch {
            fail(error)
        }
        guard !isListening else { return offset }
        afterlifeCount += bytes.count - offset
        if afterlifeCount > Self.afterlifeSize { end() }
        return bytes.count
    }

    /// Whether frames are still read.
    private var isListening: Bool {
        switch phase {
        case .open, .closing: !hasEnded
        case .closed, .failed: false
        }
    }

    /// Deals with what is next; false if there is nothing without further bytes.
    private func takeFrame(_ bytes: Span<UInt8>, from offset: inout Int) throws(WebSocketFailure) -> Bool {
        frames += 1
        switch try reader.next(in: bytes, from: &offset) {
        case .needMore: return false
        case .control(let opcode): try takeControl(opcode, reader.controlPayload)
        case .piece(let range, let isLast) where reader.message?.isCompressed == true:
            offset = range.lowerBound
            inflating = Inflating(missing: range.count, isLast: isLast)
        case .piece(let range, let isLast):
            try deliver(bytes.extracting(range), isLast: isLast)
        }
        return true
    }

    private func inflate(_ bytes: Span<UInt8>, from offset: inout Int) throws(WebSocketFailure) {
        guard var piece = inflating else { return }
        let part = bytes.extracting(offset..<min(bytes.count, offset + piece.missing))
        var taken = 0
        try inflater?.inflate(part, from: &taken)
        offset += taken
        piece.missing -= taken
        var isWhole = false
        if piece.missing == 0, piece.isLast { isWhole = try inflater?.finish() ?? true }
        let isDone = isWhole || piece.missing == 0 && !piece.isLast
        inflating = isDone ? nil : piece
        windows += 1
        var failure: WebSocketFailure?
        inflater?.lend { made in
            if made.isEmpty, !isWhole { return }
            do throws(WebSocketFailure) { try deliver(made, isLast: isWhole) } catch { failure = error }
        }
        if let failure { throw failure }
    }

    /// A piece of a message, which may be empty.
    private func deliver(_ piece: Span<UInt8>, isLast: Bool) throws(WebSocketFailure) {
        guard let message = reader.message else { return }
        let isFirst = isFirstPiece
        if message.isText {
            if isFirst { text = UTF8Check() }
            guard text.take(piece), !isLast || text.isComplete else { throw .violation(.invalidUTF8) }
        }
        isFirstPiece = isLast
        messageLength = isFirst ? piece.count : messageLength + piece.count
        if isLast { reader.endMessage() }
        if hasLeft { return }
        if hasReceiver {
            if let receiver, let socket {
                let part = WebSocketPart(isText: message.isText, isFirst: isFirst, isLast: isLast)
                receiver.webSocket(socket, didReceive: piece, of: part)
            }
        } else {
            try collect(piece, isText: message.isText, isFirst: isFirst, isLast: isLast)
        }
        if isLast { tell(.received(isText: message.isText, size: messageLength)) }
    }

    private func collect(
        _ piece: Span<UInt8>, isText: Bool, isFirst: Bool, isLast: Bool
    ) throws(WebSocketFailure) {
        if isFirst {
            if isLast {
                inbox.add(
                    isText ? .text(String(copying: unsafe UTF8Span(unchecked: piece))) : .data(Data(copying: piece)))
                return
            }
            collected = BodyAccumulator(limit: configuration.maximumMessageSize)
        }
        guard case .taken = collected.take(piece) else {
            throw .messageTooLarge(limit: configuration.maximumMessageSize)
        }
        if !isLast { return }
        let bytes = collected.takeAll()
        inbox.add(isText ? .text(String(decoding: bytes, as: UTF8.self)) : .data(bytes))
    }

    /// Those who wait for a message or the end, one after the other, however many they ask for.
    private func serve(atMost limit: Int = callsPerTick) {
        var left = limit
        while left > 0, let call = inbox.nextCall() {
            left -= 1
            switch call {
            case .resume(let continuation): unsafe host.resume(continuation)
            case .call(let handler, let result): handler(result)
            }
        }
        if left == 0 { serveLater() }
    }

    /// In a tick of its own, also when the stream is over: a handler may ask again whatever it is told.
    private func serveLater() {
        if ask(.goOn) || host.perform({ self.serve() }) { return }
        // The reactor has ended.
        serve(atMost: 1)
    }

    func stopReceiving() { hasEnded = true }

    func receiveEnd() {
        if hasEnded { return }
        hasEnded = true
        switch phase {
        case .open: conclude(sendFailure ?? .transfer(.webSocket(.closed(WebSocketClose(.abnormalClosure)))))
        case .closing, .closed, .failed: end()
        }
    }
}

// Control frames
extension WebSocketConnection {
    private func takeControl(_ opcode: FrameHeader.Opcode, _ payload: [UInt8]) throws(WebSocketFailure) {
        switch opcode {
        case .ping: writer.add(.pong, payload)
        case .pong: takePong(payload)
        case .close: try takeClose(payload)
        case .continuation, .text, .binary: break
        }
    }

    /// It answers the earlier pings, too (RFC 6455 §5.5.3).
    private func takePong(_ payload: [UInt8]) {
        guard let last = pings.firstIndex(where: { $0.payload == payload }) else { return }
        let answered = pings[...last]
        pings.removeFirst(last + 1)
        let now = host.exactTime
        for ping in answered { ping.completion?(.success(ping.start.duration(to: now))) }
    }

    private func takeClose(_ payload: [UInt8]) throws(WebSocketFailure) {
        var close = WebSocketClose(.noStatusReceived)
        if payload.count == 1 { throw .violation(.closeCode) }
        if payload.count >= 2 {
            close.code = WebSocketCloseCode(rawValue: UInt16(payload[0]) << 8 | UInt16(payload[1]))
            guard close.code.isSendable else { throw .violation(.closeCode) }
            guard let reason = String(validating: payload.dropFirst(2), as: UTF8.self) else {
                throw .violation(.invalidUTF8)
            }
            close.reason = reason
        }
        writer.addClose(Array(payload.prefix(2)), isNext: true)
        phase = .closed
        phaseEnd = host.tickTime.advanced(by: configuration.closeTimeout)
        finish(with: close)
    }

    /// The close frame of this side.
    private func sendClose(_ close: WebSocketClose, isNext: Bool) {
        let code = close.code.rawValue
        let hasCode = close.code != .noStatusReceived
        writer.addClose(
            (hasCode ? [UInt8(code >> 8), UInt8(code & 0xFF)] : []) + Array(close.reason.utf8), isNext: isNext)
    }

    private func fail(_ failure: WebSocketFailure) {
        let reason = SessionError.Reason.transfer(.webSocket(failure))
        if let close = failure.close { sendClose(close, isNext: true) }
        phase = .failed(reason)
        phaseEnd = host.tickTime.advanced(by: Self.afterlife)
        inflating = nil
        finish(with: failure.close ?? WebSocketClose(.abnormalClosure), host.error(reason))
    }

    /// The connection is of no use any more.
    private func conclude(_ reason: SessionError.Reason?) {
        if endReason == nil { endReason = .some(reason) }
    }

    /// A server that does not take what is sent would not see an end that follows it: it gets a reset.
    var ending: StreamEnding? { endReason.map { StreamEnding($0, isOrderly: !isUnanswered && !writer.hasUnsent) } }

    /// The stream ends as the phase says.
    private func end() {
        switch phase {
        case .open: conclude(sendFailure)
        case .closing, .closed: conclude(nil)
        case .failed(let reason): conclude(reason)
        }
    }
}

// Sending and time
extension WebSocketConnection {
    var hasUnsent: Bool { writer.hasUnsent }

    func lendUnsent(_ send: (Span<UInt8>) -> Int) { writer.lend(send) }

    func sendingFailed(_ reason: SessionError.Reason) {
        writer.stop()
        let error = host.error(reason)
        for completion in writer.takeUnsent() { completed.append((completion, error)) }
        if sendFailure == nil { sendFailure = reason }
        // The server may have said why. Whatever comes of it, it comes soon.
        if phaseEnd == nil { phaseEnd = host.tickTime.advanced(by: Self.afterlife) }
    }

    func endTick() {
        (windows, frames) = (0, 0)
        writer.endTick()
        serve()
        while let completion = writer.popSent() { completed.append((completion, nil)) }
        if !completed.isEmpty {
            let completed = completed
            self.completed = []
            host.afterTick { for (completion, error) in completed { completion(error) } }
        }
        let receives = wanted > 0
        // The server was not heard for a while, and could have said something.
        if receives, !isReceiving, pingSent != nil { pingSent = host.tickTime }
        isReceiving = receives
    }

    var deadline: MonotonicInstant? {
        let pong = isReceiving ? pingSent?.advanced(by: configuration.pongTimeout) : nil
        return [phaseEnd, nextPing, pong].compactMap(\.self).min()
    }

    func timePassed(_ now: MonotonicInstant) {
        if let phaseEnd, phaseEnd <= now {
            // Messages before the close are still being sent, or this side is not receiving.
            let isBusy = writer.sentCount > sentBeforeClose || !isReceiving
            guard case .closing = phase, sendFailure == nil, isBusy else {
                if case .closing = phase { isUnanswered = true }
                return end()
            }
            sentBeforeClose = writer.sentCount
            self.phaseEnd = now.advanced(by: configuration.closeTimeout)
        }
        if let sent = pingSent, isReceiving {
            if let lastReceived, lastReceived >= sent {
                pingSent = nil
            } else if sent.advanced(by: configuration.pongTimeout) <= now {
                return fail(.noPong(within: configuration.pongTimeout))
            }
        }
        if let nextPing, nextPing <= now {
            guard case .open = phase, let interval = configuration.pingInterval else { return self.nextPing = nil }
            self.nextPing = host.tickTime.advanced(by: interval)
            writer.add(.ping, nextPayload())
            if pingSent == nil { pingSent = now }
        }
    }

    private func nextPayload() -> [UInt8] {
        pingCount &+= 1
        return (0..<8).map { UInt8(truncatingIfNeeded: pingCount >> (56 - 8 * UInt64($0))) }
    }

    private func tell(_ event: WebSocketEvent) { host.tell(.webSocket(event)) }
}

// The end
extension WebSocketConnection {
    /// There will be no more messages: the server's close came, or something has failed.
    private func finish(with close: WebSocketClose, _ failure: SessionError? = nil) {
        let error = failure ?? host.error(.transfer(.webSocket(.closed(close))))
        let isFirst = requests.withLock { state in
            if state.close != nil { return false }
            state.close = close
            return true
        }
        if !isFirst { return }
        collected = BodyAccumulator(limit: 0)
        for completion in writer.takeUnsent() { completed.append((completion, error)) }
        let pings = pings
        self.pings = []
        for ping in pings { ping.completion?(.failure(error)) }
        (nextPing, pingSent) = (nil, nil)
        tell(.closed(close))
        inbox.end(error)
        serve()
        if let receiver = receiver.take(), let socket {
            receiver.webSocket(socket, didCloseWith: close, error: failure)
        }
        observer?.webSocketDidClose(with: close, error: failure)
        let completions = closeCompletions
        closeCompletions = []
        for completion in completions { completion(close) }
    }

    func ended(_ error: SessionError?) {
        // Whoever is told now can send nothing more.
        switch phase {
        case .open, .closing: phase = .closed
        case .closed, .failed: break
        }
        hasEnded = true
        finish(with: WebSocketClose(.abnormalClosure), error)
        let end = error ?? closedError
        let list = requests.withLock { state in
            state.end = end
            defer { state.list = [] }
            return state.list
        }
        for request in list { refuse(request, end) }
        endTick()
        // After what the tick has completed.
        if let observer { host.afterTick { observer.webSocketDidEnd(error) } }
    }

    private func refuse(_ request: Requests.Request, _ error: SessionError) {
        switch request {
        case .send(let message): message.completion?(error)
        case .ping(let completion): completion(.failure(error))
        case .close(_, let completion): completion?(lastClose)
        case .leave, .goOn: break
        }
    }

    /// What other threads have asked for.
    private func takeRequests() {
        let list = requests.withLock { state in
            defer { state.list = [] }
            return state.list
        }
        isTakingRequests = true
        defer { isTakingRequests = false }
        for request in list {
            switch request {
            case .send(let message): send(message)
            case .ping(let completion): ping(completion)
            case .close(let close, let completion): self.close(close, completion)
            case .leave:
                hasLeft = true
                close(WebSocketClose(.goingAway), nil, isNext: true)
                finish(with: WebSocketClose(.goingAway), host.error(.cancelled))
            case .goOn: break
            }
        }
    }

    /// Why nothing is sent any more.
    private var closedError: SessionError {
        if closeSoFar == nil, let sendFailure { return host.error(sendFailure) }
        return host.error(.transfer(.webSocket(.closed(lastClose))))
    }

    /// How it was closed, or that it has ended without.
    private var lastClose: WebSocketClose { closeSoFar ?? WebSocketClose(.abnormalClosure) }

    private func send(_ message: FrameWriter.Message) {
        guard case .open = phase, writer.add(message) else {
            if let completion = message.completion { completed.append((completion, closedError)) }
            return
        }
        tell(.sent(isText: message.isText, size: message.bytes.count))
    }

    private func ping(_ completion: @escaping PingCompletion) {
        guard case .open = phase else {
            return completion(.failure(closedError))
        }
        let payload = nextPayload()
        pings.append(Ping(payload: payload, start: host.exactTime, completion: completion))
        writer.add(.ping, payload)
    }

    private func close(_ close: WebSocketClose, _ completion: CloseCompletion?, isNext: Bool = false) {
        switch phase {
        case .open:
            requests.withLock { $0.closedHere = true }
            phase = .closing
            phaseEnd = host.tickTime.advanced(by: configuration.closeTimeout)
            sendClose(close, isNext: isNext)
            sentBeforeClose = writer.framedCount
        case .closing: if isNext { sendClose(close, isNext: true) }
        case .closed, .failed:
            completion?(lastClose)
            return
        }
        guard let completion else { return }
        // One that was left has closed without an answer.
        if let closeSoFar { completion(closeSoFar) } else { closeCompletions.append(completion) }
    }
}

// On any thread
extension WebSocketConnection {
    /// What the server's close frame says, or what it was told when something failed; nil before.
    var closeSoFar: WebSocketClose? { requests.withLock { $0.close } }

    /// Whether this side has begun to close.
    var isClosedHere: Bool { requests.withLock { $0.closedHere } }

    /// Whether something that was asked for earlier has not been done.
    private var isAsked: Bool { isTakingRequests || requests.withLock { !$0.list.isEmpty } }

    /// False if it is over.
    @discardableResult
    private func ask(_ request: Requests.Request) -> Bool {
        let (end, isFirst) = requests.withLock { state -> (SessionError?, Bool) in
            if state.end == nil { state.list.append(request) }
            return (state.end, state.list.count == 1)
        }
        if let end {
            refuse(request, end)
            return false
        }
        if isFirst, !host.perform({ self.takeRequests() }) { ended(host.error(.sessionInvalidated)) }
        return true
    }

    func send(_ message: WebSocketMessage, _ completion: SendCompletion?) {
        ask(.send(FrameWriter.Message(isText: message.isText, bytes: message.bytes, completion: completion)))
    }

    func sendPing(_ completion: @escaping PingCompletion) { ask(.ping(completion)) }

    func startClose(_ close: WebSocketClose, _ completion: CloseCompletion?) { ask(.close(close, completion)) }

    /// Resumes the continuation when there is something to take.
    @unsafe func wait(_ continuation: UnsafeContinuation<Void, Never>) {
        if unsafe !inbox.wait(continuation) { unsafe continuation.resume() }
    }

    func take() -> Result<WebSocketMessage, SessionError>? {
        let (result, makesRoom) = inbox.take()
        if makesRoom { ask(.goOn) }
        return result
    }

    /// Has `handler` called with the next message or the error after the last, on the reactor's thread.
    func receive(_ handler: @escaping MessageInbox.Handler) {
        if !inbox.waits(handler) { serveLater() }
    }

    /// The Swift task that uses it was cancelled, or nobody uses it any more.
    func leave() { ask(.leave) }

    /// Sends a message that is lent: at once on the reactor's thread, where nothing waits before it.
    func send(isText: Bool, _ bytes: Span<UInt8>) {
        if host.isCurrent, case .open = phase, !isAsked, writer.add(isText: isText, bytes) {
            if !isInTick, !isWoken { isWoken = host.perform { self.isWoken = false } }
            tell(.sent(isText: isText, size: bytes.count))
            return
        }
        ask(.send(FrameWriter.Message(isText: isText, bytes: Data(copying: bytes), completion: nil)))
    }
}
