// SPDX-License-Identifier: Apache-2.0
import TernDemo

/// `tern demo`: pinning and speed, without other programs.
struct DemoCommand: ToolCommand {
    static var table: OptionTable<Self> {
        OptionTable(
            .value("-d", "--duration", as: "seconds", help: "The duration of the measurement, 2 by default.") {
                $0.seconds = try $1.number()
            })
    }

    static let name = "demo"
    static let abstract = "Start a TLS origin with a throw-away CA, connect with a right and a wrong pin, then measure."

    var seconds = 2.0

    func validate() throws {
        guard seconds > 0, seconds <= 60 else { throw UsageError("-d: give seconds above 0 and up to 60") }
    }

    func run() async throws {
        let demo = try Demo(duration: .seconds(seconds)) { try StandardStreams.print($0) }
        guard try await demo.run() else { throw ExitCode(1) }
    }
}
