// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The program `ChaosServer` that lies beside this one, spoken to in lines. Ends with this process, whose pipe it
/// reads.
final class HelpingProcess {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private var unread: [UInt8] = []

    init(arguments: [String]) throws {
        process.executableURL = Self.folder.appending(path: "ChaosServer")
        process.arguments = arguments
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    static var executable: URL { URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath() }

    private static var folder: URL { executable.deletingLastPathComponent() }

    deinit {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    func writeLine(_ line: String) {
        try? input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))
    }

    /// Nil at the end.
    func readLine() -> Substring? {
        while true {
            if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: unread[..<end], as: UTF8.self)
                unread.removeSubrange(...end)
                return line[...]
            }
            let more = output.fileHandleForReading.availableData
            if more.isEmpty { return nil }
            unread += more
        }
    }
}
