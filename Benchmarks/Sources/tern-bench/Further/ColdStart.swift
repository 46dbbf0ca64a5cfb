// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// One small GET by a process of its own, from its start to its end: the command `tern` beside `curl`. Over https both
/// trust the authorities of the system and one more, which issued the server's certificate.
struct ColdStart {
    private let server: BenchmarkServer
    private let command: String
    private let curl: String
    /// The authority that both trust.
    private let bundle: String

    /// - Throws: ``PeerUnavailable`` without curl, or without authorities of the system.
    init(command: String) throws {
        guard let curl = ChildProcess.path(of: "curl") else { throw PeerUnavailable(reason: "curl is not installed") }
        guard let authorities = CurlMultiClient.defaultAuthorities,
            let system = try? String(contentsOfFile: authorities, encoding: .utf8)
        else { throw PeerUnavailable(reason: "the system has no authorities") }
        server = try BenchmarkServer()
        let own = try String(contentsOfFile: server.authorityPath, encoding: .utf8)
        bundle = server.folder.appending(path: "bundle.pem").path
        try Data((system + "\n" + own).utf8).write(to: URL(fileURLWithPath: bundle))
        self.command = command
        self.curl = curl
    }

    /// The median over pairs of processes, one right behind the other.
    func cpuRatio(over scheme: Scenario.Scheme, rounds: Int) throws -> Double? {
        let url = server.url(at: Scenario.Body.small.path, over: scheme)
        let environment = ["SSL_CERT_FILE": bundle]
        let ours = ["get", url]
        let theirs = ["-q", "-sS", "--http1.1", "--noproxy", "*", "--cacert", bundle, url]
        return try (0..<rounds).map { _ in
            try microseconds(command, ours, environment) / microseconds(curl, theirs, [:])
        }.median
    }

    private func microseconds(
        _ program: String, _ arguments: [String], _ environment: [String: String]
    ) throws -> Double {
        let ended = try ChildProcess(program, arguments, environment: environment).waitForEnd()
        guard ended.succeeded, ended.output.hasPrefix("ok") else {
            throw PeerUnavailable(reason: "\(program) said: \(ended.output.suffix(200))")
        }
        return ended.usage.userMicroseconds + ended.usage.systemMicroseconds
    }
}
