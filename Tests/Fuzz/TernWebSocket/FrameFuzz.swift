// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernEngine

@testable import TernWebSocket

/// The frames of a server, after a byte that says whether messages may be compressed and how the rest is cut. However it is cut,
/// the messages and, unless they are compressed, the failure and the close are the same, and no message is longer than the
/// limit.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> Int32 {
    guard count > 0 else { return 0 }
    let options = unsafe start[0]
    let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count).dropFirst())
    let whole = Reading(bytes, isCompressed: options & 1 == 1, size: .max)
    let cut = Reading(bytes, isCompressed: options & 1 == 1, size: 1 + Int(options >> 1))
    // What is wrong with a compressed message is found in another order where it comes in other pieces.
    let isSame =
        options & 1 == 1
        ? (whole.failure == nil) == (cut.failure == nil) : whole.failure == cut.failure && whole.close == cut.close
    guard whole.messages == cut.messages, isSame else {
        fatalError("cut elsewhere: \(whole) \(cut)")
    }
    return 0
}

private struct Reading {
    var messages: [WebSocketMessage] = []
    var failure: WebSocketFailure?
    var close: WebSocketClose?

    init(_ bytes: [UInt8], isCompressed: Bool, size: Int) {
        let limit = 100_000
        let host = DialogueHost()
        var configuration = WebSocketConfiguration()
        configuration.maximumMessageSize = limit
        configuration.compression = isCompressed ? WebSocketCompression() : nil
        guard let connection = try? WebSocketConnection(host, configuration, isCompressed ? DeflateParameters() : nil)
        else {
            return
        }
        connection.begin()
        let nothing: [UInt8] = []
        var offset = 0
        while offset < bytes.count || connection.hasMore {
            let end = min(bytes.count, offset + min(size, bytes.count))
            let taken =
                offset == bytes.count
                ? connection.receive(nothing.span) : connection.receive(bytes.span.extracting(offset..<end))
            offset += taken
            connection.endTick()
            host.run()
            while case .success(let message)? = connection.take() {
                if message.bytes.count > limit { fatalError("too long") }
                messages.append(message)
            }
            connection.lendUnsent { $0.count }
            if connection.ending != nil { break }
        }
        if case .failure(let error)? = connection.take(), case .transfer(.webSocket(let failure)) = error.reason {
            self.failure = failure
        }
        close = connection.closeSoFar
    }
}
