// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import Tern

/// `tern get`: one GET request, with curl's habits.
struct GetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "get", abstract: "Fetch a URL.")

    @Argument(help: "An http or https URL.")
    var url: String

    @Option(name: [.customShort("H"), .customLong("header")], help: "Add a header field; repeat for more.")
    var headers: [String] = []

    @Option(name: [.customShort("o"), .customLong("output")], help: "Write the body to this file.")
    var output: String?

    @Flag(name: [.customShort("v"), .customLong("verbose")], help: "Tell what happens, on standard error.")
    var isVerbose = false

    @Flag(name: .customLong("json"), help: "Print one JSON object that holds everything.")
    var isJSON = false

    @Option(name: .customLong("connect-timeout"), help: "Seconds until a connection must stand.")
    var connectTimeout: Double?

    @Option(name: .customLong("max-time"), help: "Seconds for everything.")
    var maximumTime: Double?

    @OptionGroup var trust: TrustOptions

    func run() async throws {
        let request = try urlRequest()
        let session = Session(
            configuration: try configuration(),
            serverTrustPolicyManager: try trust.policies(forHost: request.host))
        let transcript = Transcript(sink: isJSON ? nil : try BodyFile(path: output))
        await transcript.record(session.dataTask(with: request, delegate: transcript))
        if isJSON {
            let report = ExchangeReport(url: url, transcript: transcript.contents)
            try StandardStreams.write(try report.json() + Data("\n".utf8))
        }
        if isVerbose { VerboseReport(request: request, transcript: transcript.contents).print() }
        guard let error = transcript.contents.error else { return }
        if let lost = error as? StandardStreams.WriteError { throw lost }
        if !isJSON { StandardStreams.tell("tern: \(error)") }
        throw ExitCode(1)
    }

    private func urlRequest() throws -> Tern.URLRequest {
        // A string that is no URL at all is still sent down, so that the error has one form.
        var request = URL(string: url).map { Tern.URLRequest(url: $0) } ?? Tern.URLRequest(url: URL(filePath: url))
        for header in headers {
            guard let colon = header.firstIndex(of: ":") else {
                throw ValidationError("-H \"\(header)\": a header field needs a colon")
            }
            let value = header[header.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            request.addValue(value, forHTTPHeaderField: String(header[..<colon]))
        }
        return request
    }

    private func configuration() throws -> SessionConfiguration {
        var configuration = try trust.configuration()
        if let connectTimeout {
            configuration.timeouts.connect = try Self.duration(connectTimeout, "--connect-timeout")
        }
        if let maximumTime { configuration.timeouts.total = try Self.duration(maximumTime, "--max-time") }
        return configuration
    }

    private static func duration(_ seconds: Double, _ option: String) throws -> Duration {
        guard seconds > 0, seconds <= 1e9 else {
            throw ValidationError("\(option): give seconds above 0 and up to 1e9")
        }
        return .seconds(seconds)
    }
}
