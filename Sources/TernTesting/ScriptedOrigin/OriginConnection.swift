// SPDX-License-Identifier: Apache-2.0

/// One connection from accept to close, on a thread of its own.
struct OriginConnection {
    let number: Int
    let script: OriginScript
    let stream: OriginStream
    let log: ObservationLog
    private let currentHold: () -> Latch
    /// The release that the next `hold` waits for. Taken before a request is observable, so that a release by a test
    /// that has observed it counts even if the hold has not begun.
    private var nextHold: Latch
    private var reader: RequestReader
    private var headCount = 0

    init(
        number: Int, script: OriginScript, stream: OriginStream, log: ObservationLog, currentHold: @escaping () -> Latch
    ) {
        self.number = number
        self.script = script
        self.stream = stream
        self.log = log
        self.currentHold = currentHold
        nextHold = currentHold()
        reader = RequestReader(stream)
    }

    mutating func run() {
        do throws(ConnectionEnd) {
            try perform(script.onAccept?(number) ?? [])
            try shakeHands()
            reader.append(stream.takeEarly())
            while true { try exchange() }
        } catch {
            record(error)
        }
    }

    private mutating func exchange() throws(ConnectionEnd) {
        var request = ReceivedRequest(connection: number, index: headCount, head: try reader.readHead())
        headCount += 1
        nextHold = currentHold()
        // Without steps between head and end, one update of the log covers both.
        let hasBodyToCome = script.onHead != nil || request.announcesBody
        if hasBodyToCome { log.record { $0.headCount += 1 } }
        let end = readBody(of: &request)
        log.record {
            if !hasBodyToCome { $0.headCount += 1 }
            $0.add(request)
        }
        if let end { throw end }
        try perform(script.onRequest(number, request), after: request)
    }

    /// Runs the script's steps before the body, and reads the body. Returns the end of the connection if it comes
    /// first.
    private mutating func readBody(of request: inout ReceivedRequest) -> ConnectionEnd? {
        do throws(ConnectionEnd) {
            try perform(script.onHead?(number, request) ?? Self.defaultSteps(to: request), after: request)
            try reader.readBody(of: &request)
            return nil
        } catch {
            return error
        }
    }

    /// The default steps after a head: they send 100 (Continue) to a client that waits for it (RFC 9110 §10.1.1).
    private static func defaultSteps(to request: ReceivedRequest) -> [OriginStep] {
        guard request.announcesBody, request.value(of: "expect")?.lowercased() == "100-continue" else { return [] }
        return [.send("HTTP/1.1 100 Continue\r\n\r\n")]
    }

    private mutating func perform(
        _ steps: [OriginStep], after request: ReceivedRequest? = nil
    ) throws(ConnectionEnd) {
        for step in steps { try perform(step, after: request) }
    }

    private mutating func perform(_ step: OriginStep, after request: ReceivedRequest?) throws(ConnectionEnd) {
        switch step {
        case .send(let bytes): try stream.send(bytes)
        case .drip(let bytes, let interval):
            for byte in bytes {
                try stream.send([byte])
                try stream.pause(interval)
            }
        case .repeat(let bytes, let count): for _ in 0..<max(0, count) { try stream.send(bytes) }
        case .sendBelowTLS(let bytes): try stream.sendWire(bytes)
        case .updateKeys: try stream.updateKeys()
        case .pause(let duration): try stream.pause(duration)
        case .receive(let count): try receive(count)
        case .take(let count): try take { $0.count >= count ? count : nil }
        case .takeHead: try take { Self.endOfHead(in: $0) }
        case .handshake: try shakeHands()
        case .hold:
            try stream.pause(nil, until: nextHold)
            nextHold = currentHold()
        case .awaitClose: try stream.drain()
        case .close: try end(notify: true)
        case .halfClose:
            try stream.finish(notify: true)
            try stream.drain()
        case .closeAbruptly: try end(notify: false)
        case .reset:
            stream.armReset()
            throw .script
        case .webSocket(let script, let head): throw serve(script, after: request, head: head)
        }
    }

    private func serve(_ script: WebSocketScript, after request: ReceivedRequest?, head: [UInt8]) -> ConnectionEnd {
        let request = request ?? ReceivedRequest(connection: number, index: 0, head: [])
        var connection = WebSocketConnection(
            opened: request, number: number, script: script, stream: stream, reader: reader, log: log)
        return connection.run(head: head)
    }

    private mutating func receive(_ count: Int) throws(ConnectionEnd) {
        if headCount == 0 { try stream.buffer(wire: count) } else { try reader.await(count) }
    }

    private func take(_ length: ([UInt8]) -> Int?) throws(ConnectionEnd) {
        let bytes = try stream.take(length)
        log.record { $0.takenBytes.append(bytes) }
    }

    private static func endOfHead(in bytes: [UInt8]) -> Int? {
        let end = Array("\r\n\r\n".utf8)
        guard bytes.count >= end.count else { return nil }
        return (end.count...bytes.count).first { bytes[($0 - end.count)..<$0].elementsEqual(end) }
    }

    private func end(notify: Bool) throws(ConnectionEnd) {
        try stream.finish(notify: notify)
        throw .script
    }

    private func shakeHands() throws(ConnectionEnd) {
        do throws(ConnectionEnd) {
            guard let handshake = try stream.shakeHands()?.handshake(on: number) else { return }
            log.record { $0.handshakes.append(handshake) }
        } catch {
            recordFailedHandshake(error)
            throw error
        }
    }

    private func recordFailedHandshake(_ end: ConnectionEnd) {
        let (kind, reason): (OriginClose.Kind?, String) =
            switch end {
            case .client(let kind): (kind, "ended by the client")
            case .tls(let reason): (nil, reason)
            case .malformed, .script, .stopped: (nil, "ended by the origin")
            }
        let failure = OriginFailedHandshake(connection: number, end: kind, reason: reason)
        log.record { $0.failedHandshakes.append(failure) }
    }

    private func record(_ end: ConnectionEnd) {
        switch end {
        case .client(let kind):
            let close = OriginClose(connection: number, kind: kind, headCount: headCount)
            log.record { $0.closes.append(close) }
        case .malformed: log.record { $0.malformedRequests += 1 }
        case .script, .stopped, .tls: return
        }
    }
}
