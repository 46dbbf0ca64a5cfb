// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import Tern
import TernEngine

/// `tern get`: one GET request, with curl's habits.
struct GetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get", abstract: "Fetch a URL.",
        discussion: """
            Sends one GET request and follows no redirect. An answer with any status is a success; exits 1 if there is no             whole answer, 2 for wrong usage.
            """)

    @Argument(help: "An http or https URL.")
    var url: String

    @Option(
        name: [.customShort("H"), .customLong("header")],
        help: ArgumentHelp(
            "Add a header field; repeat for more. \"Name:\" leaves one out that is sent otherwise, \"Name;\" sends it empty.",
            valueName: "field"))
    var headers: [String] = []

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: ArgumentHelp(
            """
            Write the body to this file, which is replaced when all of it has come, and stays as it is otherwise. Links are             followed, devices and FIFOs written through; "-" is standard output.
            """, valueName: "file"))
    var output: String?

    @Flag(name: [.customShort("v"), .customLong("verbose")], help: "Tell what happens, on standard error.")
    var isVerbose = false

    @Option(
        name: .customLong("sensitive"),
        help: ArgumentHelp(
            "Have -v hide the value of this header field, as it does with credentials; repeat for more.",
            valueName: "name"))
    var sensitiveFields: [String] = []

    @Flag(
        name: .customLong("json"),
        help: "Print one JSON object that holds everything; a body above 64 MB is an error.")
    var isJSON = false

    @Option(name: .customLong("connect-timeout"), help: "Seconds until a connection must stand.")
    var connectTimeout: Double?

    @Option(name: .customLong("max-time"), help: "Seconds for everything.")
    var maximumTime: Double?

    @OptionGroup var trust: TrustOptions

    func validate() throws {
        if isJSON, output != nil { throw ValidationError("--json holds the body: give --json or -o, not both") }
    }

    func run() async throws {
        let target = try RequestedURL(url)
        try trust.check(target)
        var (request, configuration) = (target.request, try configuration())
        for header in headers {
            try HeaderOption(header).apply(to: &request, &configuration.httpAdditionalHeaders)
        }
        request.timeouts = configuration.timeouts
        request.sensitiveFields = SensitiveFields(sensitiveFields)
        let verbose = VerboseReport(
            requestHead: try Self.head(of: request, configuration), sensitiveFields: request.sensitiveFields)
        let transcript = Transcript(try bodyUse(configuration), verbose: isVerbose ? verbose : nil)
        let session = Session(
            configuration: configuration, serverTrustPolicyManager: try trust.policies(forHost: request.host))
        await transcript.record(session.dataTask(with: request, delegate: transcript))
        try report(transcript.contents)
    }

    private func report(_ contents: Transcript.Contents) throws {
        if isJSON { try StandardStreams.print(try JSONReport.text(ExchangeReport(url: url, transcript: contents))) }
        guard let error = contents.error else { return }
        if let lost = error as? StandardStreams.WriteError { throw lost }
        if !isJSON { StandardStreams.tell("tern: \(error)") }
        throw ExitCode(1)
    }

    private func bodyUse(_ configuration: SessionConfiguration) throws -> Transcript.BodyUse {
        if isJSON { return .collect(limit: configuration.maximumCollectedBodySize) }
        do throws(OutputError) {
            return .write(to: Outlet(sink: try BodySink(path: output)))
        } catch {
            throw ValidationError("-o: \(error)")
        }
    }

    private static func head(of request: Tern.URLRequest, _ configuration: SessionConfiguration) throws -> [UInt8] {
        do throws(InvalidRequest) {
            return try request.encodedHead(configuration)
        } catch {
            throw ValidationError("\(error)")
        }
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
