// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernEngine

/// A `ChaosServer` in a process of its own. It ends when we do.
final class ServerProcess {
    enum Role: String { case chaos, neighbour }

    /// The server's description of itself; passed on to the processes that the soak starts.
    struct Description: Codable, Sendable {
        var ports: [String: Int] = [:]
        /// Where each behaviour makes sense: 1 over plain connections, 2 over TLS 1.3, 4 over TLS 1.2; 8 is for
        /// the trial only.
        var behaviours: [String: Int] = [:]
        var authority: [UInt8] = []

        mutating func read(_ line: Substring) {
            let words = line.split(separator: " ")
            switch words.first {
            case "port" where words.count == 3: ports[String(words[1])] = Int(words[2])
            case "behaviour" where words.count == 3: behaviours[String(words[1])] = Int(words[2])
            case "authority" where words.count == 2: authority = Self.bytes(ofHex: words[1])
            default: break
            }
        }

        private static func bytes(ofHex text: Substring) -> [UInt8] {
            let digits = text.compactMap(\.hexDigitValue)
            return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] * 16 + digits[$0 + 1]) }
        }
    }

    let description: Description
    private let process: HelpingProcess

    init(_ role: Role) throws {
        process = try HelpingProcess(arguments: [role.rawValue])
        var description = Description()
        while let line = process.readLine() {
            if line == "ready" { break }
            description.read(line)
        }
        self.description = description
    }
}
