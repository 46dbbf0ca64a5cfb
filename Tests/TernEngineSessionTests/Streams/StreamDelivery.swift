// SPDX-License-Identifier: Apache-2.0

@testable import TernEngine

/// One delivery of bytes: in these chunks.
struct LineDelivery: Equatable {
    private(set) var lines: [[UInt8]] = []
    private(set) var isTooLong = false

    init(_ pieces: [[UInt8]], limit: Int = 100, _ terminator: LineSplitter.Terminator = .any) {
        var splitter = LineSplitter(limit: limit, terminator: terminator)
        do {
            for piece in pieces {
                var offset = 0
                while let found = try splitter.next(in: piece.span, from: &offset) {
                    switch found {
                    case .here(let range): lines.append(Array(piece[range]))
                    case .kept: lines.append(splitter.takeKept())
                    }
                }
            }
            if let last = try splitter.finish() { lines.append(last) }
        } catch {
            isTooLong = true
        }
    }
}

/// The same for events.
struct EventDelivery: Equatable {
    private(set) var events: [ServerSentEvent] = []
    private(set) var isTooLarge = false
    private(set) var lastEventID = ""
    private(set) var retry: Int?

    init(_ pieces: [[UInt8]], limit: Int = 1000, lastEventID: String = "") {
        var parser = EventParser(limit: limit, lastEventID: lastEventID)
        do {
            for piece in pieces {
                var offset = 0
                while let event = try parser.next(in: piece.span, from: &offset) { events.append(event) }
            }
        } catch {
            isTooLarge = true
        }
        self.lastEventID = parser.lastEventID
        retry = parser.reconnectionTime
    }
}

/// Every split of bytes into two, and into single ones.
enum Cuts {
    static func all(_ bytes: [UInt8]) -> [[[UInt8]]] {
        [[bytes], bytes.map { [$0] }] + bytes.indices.map { [Array(bytes[..<$0]), Array(bytes[$0...])] }
    }
}
