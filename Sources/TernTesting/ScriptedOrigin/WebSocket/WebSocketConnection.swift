// SPDX-License-Identifier: Apache-2.0

/// A connection after its WebSocket handshake, on the connection's thread.
struct WebSocketConnection {
    private let number: Int
    private let script: WebSocketScript
    private let stream: OriginStream
    private let log: ObservationLog
    /// The position of what is received among all WebSockets of the origin.
    private let position: Int
    private var reader: RequestReader
    /// The message whose last fragment has not come.
    private var message: ReceivedMessage?
    private var hasSentClose = false
    private var hasReceivedClose = false
    /// Set by `awaitEnd`.
    private var isSilent = false

    /// - Parameter reader: has what came after the handshake.
    init(
        opened request: ReceivedRequest, number: Int, script: WebSocketScript, stream: OriginStream,
        reader: RequestReader, log: ObservationLog
    ) {
        (self.number, self.script, self.stream, self.reader, self.log) = (number, script, stream, reader, log)
        var position = 0
        log.record { position = $0.addWebSocket(request) }
        self.position = position
    }

    /// Sends the head of the handshake, then runs the script. Returns how the connection ended.
    mutating func run(head: [UInt8]) -> ConnectionEnd {
        do throws(ConnectionEnd) {
            try stream.send(head)
            try perform(script.onOpen)
            while true { try receive() }
        } catch {
            let end: ReceivedWebSocket.End = if case .client(let kind) = error { .client(kind) } else { .server }
            note { $0.end = end }
            return error
        }
    }

    // Receiving

    private mutating func receive() throws(ConnectionEnd) {
        let frame = try readFrame()
        let close = frame.opcode == .close ? ReceivedClose(payload: frame.payload) : nil
        let violation = violation(of: frame)
        note {
            $0.add(frame)
            if violation == nil, let close { $0.close = close }
        }
        if let violation { return try fail(violation, 1002) }
        if frame.opcode.isControl { try answer(frame) } else { try assemble(frame) }
    }

    private mutating func readFrame() throws(ConnectionEnd) -> WebSocketFrame {
        let start = try read(2)
        let form: WebSocketFrame.LengthForm =
            switch start[1] & 0x7F {
            case 126: .sixteenBits
            case 127: .sixtyFourBits
            default: .sevenBits
            }
        let length =
            switch form {
            case .sevenBits: UInt64(start[1] & 0x7F)
            case .sixteenBits: Self.number(try read(2))
            case .sixtyFourBits: Self.number(try read(8))
            }
        let mask = start[1] & 0x80 == 0 ? nil : UInt32(truncatingIfNeeded: Self.number(try read(4)))
        var frame = WebSocketFrame(
            WebSocketFrame.Opcode(rawValue: start[0] & 15), isFinal: start[0] & 0x80 != 0, reserved: start[0] >> 4 & 7,
            mask: mask, lengthForm: form == .shortest(for: length) ? nil : form)
        guard let count = Int(exactly: length) else {
            frame.declaredLength = length
            return frame
        }
        frame.payload = try read(count)
        if let mask { WebSocketFrame.apply(mask, to: &frame.payload) }
        return frame
    }

    private mutating func read(_ count: Int) throws(ConnectionEnd) -> [UInt8] {
        var bytes: [UInt8] = []
        try reader.readContent(count, into: &bytes)
        return bytes
    }

    private static func number(_ bytes: [UInt8]) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }

    private func violation(of frame: WebSocketFrame) -> ClientViolation? {
        if frame.declaredLength != nil { return .length }
        if frame.mask == nil { return .unmasked }
        if frame.reserved & ~script.reservedBits != 0 { return .reservedBits }
        if frame.lengthForm != nil { return .lengthForm }
        if hasReceivedClose { return .frameAfterClose }
        switch frame.opcode {
        case .continuation: return message == nil ? .unexpectedContinuation : nil
        case .text, .binary: return message == nil ? nil : .unfinishedMessage
        case .close, .ping, .pong:
            if !frame.isFinal { return .fragmentedControl }
            if frame.payload.count > 125 { return .longControl }
            let isInvalidClose = frame.opcode == .close && ReceivedClose(payload: frame.payload) == nil
            return isInvalidClose ? .invalidClose : nil
        default: return .reservedOpcode
        }
    }

    /// Ends the connection, and discards what the client still sends, which would otherwise make the end a RST.
    private mutating func fail(_ violation: ClientViolation, _ code: UInt16) throws(ConnectionEnd) {
        note { $0.violations.append(violation) }
        if isSilent, violation != .length { return }
        if !isSilent {
            if !hasSentClose { try perform([.close(code)]) }
            try stream.finish(notify: true)
        }
        try stream.drain()
    }

    private mutating func assemble(_ frame: WebSocketFrame) throws(ConnectionEnd) {
        var whole: ReceivedMessage
        if let begun = message.take() {
            whole = begun
            whole.payload += frame.payload
            whole.fragmentCount += 1
        } else {
            whole = ReceivedMessage(frame)
        }
        guard frame.isFinal else { return message = whole }
        if whole.opcode == .text, whole.reserved == 0, whole.text == nil { return try fail(.invalidText, 1007) }
        note { $0.add(whole) }
        guard !isSilent else { return }
        let echo = WebSocketStep.frame(WebSocketFrame(whole.opcode, whole.payload, reserved: whole.reserved))
        try perform(script.onMessage?(number, whole) ?? [echo])
    }

    private mutating func answer(_ control: WebSocketFrame) throws(ConnectionEnd) {
        if control.opcode == .close { hasReceivedClose = true }
        guard !isSilent else { return }
        try perform(script.onControl?(number, control) ?? [])
        if control.opcode == .ping, script.answersPings { try perform([.pong(control.payload)]) }
        guard control.opcode == .close, script.answersClose else { return }
        if !hasSentClose { try perform([.frame(WebSocketFrame(.close, control.payload))]) }
        try perform([.hangUp])
    }

    // Steps

    private mutating func perform(_ steps: [WebSocketStep]) throws(ConnectionEnd) {
        for step in steps { try perform(step) }
    }

    private mutating func perform(_ step: WebSocketStep, every pause: Duration? = nil) throws(ConnectionEnd) {
        switch step {
        case .text(let text): try send(WebSocketFrame(.text, Array(text.utf8)), every: pause)
        case .binary(let bytes): try send(WebSocketFrame(.binary, bytes), every: pause)
        case .ping(let bytes): try send(WebSocketFrame(.ping, bytes), every: pause)
        case .pong(let bytes): try send(WebSocketFrame(.pong, bytes), every: pause)
        case .close(let code, let reason):
            let payload = code.map { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] + Array(reason.utf8) }
            try send(WebSocketFrame(.close, payload ?? []), every: pause)
        case .frame(let frame): try send(frame, every: pause)
        case .bytes(let bytes): try send(bytes, every: pause)
        case .slowly(let step, let pause): try perform(step, every: pause)
        case .wait(let latch): if try !stream.pauseUnlessClosed(nil, until: latch) { try perform(.awaitEnd) }
        case .awaitEnd:
            isSilent = true
            while true { try receive() }
        case .hangUp:
            try stream.finish(notify: true)
            throw .script
        case .reset:
            stream.armReset()
            throw .script
        }
    }

    private mutating func send(_ frame: WebSocketFrame, every pause: Duration?) throws(ConnectionEnd) {
        try send(frame.encoded, every: pause)
        if frame.opcode == .close { hasSentClose = true }
    }

    private func send(_ bytes: [UInt8], every pause: Duration?) throws(ConnectionEnd) {
        guard let pause else { return try stream.send(bytes) }
        for byte in bytes {
            try stream.send([byte])
            try stream.pause(pause)
        }
    }

    private func note(_ change: (inout ReceivedWebSocket) -> Void) { log.record { change(&$0.webSockets[position]) } }
}
