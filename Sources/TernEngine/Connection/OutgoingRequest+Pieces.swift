// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernHTTP1
import TernIO

// Chunk by chunk
extension OutgoingRequest {
    /// 0 if the kernel takes no more.
    mutating func sendBuffer(over transport: some ByteSink) throws(SendingError) -> Int {
        let sent = unsafe buffer.withUnsafeBytes { bytes in
            unsafe Self.send(UnsafeRawBufferPointer(rebasing: bytes[bufferSent...]), over: transport)
        }
        let count = try sent.get()
        bufferSent += count
        if bufferSent == buffer.count, bufferSent > Self.pieceSize {
            // One large chunk must not keep the connection's memory forever.
            buffer = []
            bufferSent = 0
        }
        return count
    }

    /// Sends the next chunk; nil to be called again. Bytes that are sent without a copy are counted.
    mutating func sendContent(
        over transport: some ByteSink, on exchange: inout Exchange, _ allowance: inout TickAllowance
    ) throws(SendingError) -> Step? {
        let count: Int
        switch content {
        case .over, .asked: return .wait
        case .file(let file) where file.range.isEmpty: return try finish(on: &exchange)
        case .stretch(let file, let source) where file.range.isEmpty:
            content = .source(source)
            return nil
        case .file(let file), .stretch(let file, _):
            if transport.isSecure {
                try read(file, on: &exchange)
                return nil
            }
            count = try file.send(over: transport)
            moveOn(by: count)
        case .data(let data, let sent):
            if sent == data.count { return try finish(on: &exchange) }
            let result = unsafe data.withUnsafeBytes { bytes in
                unsafe Self.send(UnsafeRawBufferPointer(rebasing: bytes[sent...]), over: transport)
            }
            count = try result.get()
            content = .data(data, sent: sent + count)
        case .stream(let make):
            content = .asked
            isPulled = true
            return .make(make)
        case .once(let once):
            guard let source = once?.begin() else { throw .content(.alreadyUsed) }
            return ask(source)
        case .source(let source): return ask(source)
        }
        if count == 0 { return wait(for: .writability) }
        allowance.spend(count)
        try account(count, on: &exchange)
        return nil
    }

    mutating func ask(_ source: any BodySource) -> Step {
        buffer.removeAll(keepingCapacity: true)
        bufferSent = 0
        contentBuffered = 0
        waitReason = .writability
        content = .asked
        isPulled = true
        return .ask(source)
    }

    /// Takes in the bytes to be sealed.
    mutating func read(_ file: FileRange, on exchange: inout Exchange) throws(SendingError) {
        buffer = try file.read(atMost: Self.pieceSize)
        bufferSent = 0
        contentBuffered = buffer.count
        moveOn(by: buffer.count)
        try account(buffer.count, on: &exchange)
    }

    private mutating func moveOn(by count: Int) {
        switch content {
        case .file(let file): content = .file(file.dropping(count))
        case .stretch(let file, let source): content = .stretch(file.dropping(count), of: source)
        case .over, .data, .stream, .once, .source, .asked: break
        }
    }

    /// For bytes that were sent directly, uncopied.
    private mutating func account(_ count: Int, on exchange: inout Exchange) throws(SendingError) {
        contentSent += Int64(count)
        left = left.map { $0 - count }
        do throws(HTTPProtocolError) { try exchange.sendBody(count: count) } catch {
            throw .content(.unencodable(error))
        }
    }

    @discardableResult
    mutating func finish(
        on exchange: inout Exchange, _ trailers: HeaderFields = [:]
    ) throws(SendingError) -> Step? {
        do throws(HTTPProtocolError) {
            try exchange.finishSending(trailers: trailers, into: &buffer)
        } catch {
            throw .content(.unencodable(error))
        }
        switch content {
        // Holds no user objects, and is closed at once.
        case .file: break
        case .over, .data, .stream, .once, .source, .stretch, .asked: swap(&spent, &content)
        }
        content = .over
        return nil
    }

    static func send(
        _ bytes: UnsafeRawBufferPointer, over transport: some ByteSink
    ) -> Result<Int, SendingError> {
        do throws(TransportError) {
            return .success(try unsafe transport.send(bytes))
        } catch {
            return .failure(.transport(error))
        }
    }
}
