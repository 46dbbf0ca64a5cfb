// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernEngine
import TernWebSocket

/// A WebSocket whose server returns what it is sent: what a question's answer would be, a piece in each message.
struct Echo: Sendable {
    let question: Question
    var pieceSize: Int
    var isCompressed: Bool
    /// The number of pieces before it is released without a close.
    var leavesAfter = Int.max

    /// A close of our own, or none because the connection has ended.
    static func isExpected(_ failure: WebSocketFailure) -> Bool {
        if case .closed(let close) = failure {
            [.normalClosure, .goingAway, .abnormalClosure].contains(close.code)
        } else {
            false
        }
    }

    func run(in session: Session) async throws -> WorkerReport {
        var configuration = WebSocketConfiguration()
        configuration.compression = isCompressed ? WebSocketCompression() : nil
        configuration.closeTimeout = .seconds(2)
        var report = WorkerReport(question)
        let socket = try await session.webSocket(for: try question.request(), configuration: configuration)
        report.head(socket.response)
        let bytes = Pattern.bytes(question.seed, count: question.size)
        for (count, start) in stride(from: 0, to: bytes.count, by: pieceSize).enumerated() {
            if count >= leavesAfter { return report }
            try await socket.send(Data(bytes[start..<min(bytes.count, start + pieceSize)]))
            switch try await socket.receive() {
            case .data(let data): report.bytes([UInt8](data).span)
            case .text(let text): report.bytes(Array(text.utf8).span)
            }
        }
        _ = try await socket.ping()
        if try await socket.close().code == .normalClosure { report.end(isComplete: true) }
        return report
    }
}
