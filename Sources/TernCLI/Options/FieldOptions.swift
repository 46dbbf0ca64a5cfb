// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import Tern

/// The header fields, with curl's option names.
struct FieldOptions: ParsableArguments {
    @Option(
        name: [.customShort("H"), .customLong("header")], parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            """
            Add a header field; repeat for more. "Name:" omits one that is sent otherwise, "Name;" sends it empty, \
            "@file" reads a field from each line.
            """, valueName: "field"))
    var headers: [String] = []

    @Option(
        name: [.customShort("A", allowingJoined: true), .customLong("user-agent")], parsing: .unconditional,
        help: ArgumentHelp("Send this User-Agent; an empty one omits it.", valueName: "name"))
    var userAgent: String?

    @Option(
        name: [.customShort("e", allowingJoined: true), .customLong("referer")], parsing: .unconditional,
        help: ArgumentHelp(
            "Send this Referer; with \";auto\" at its end, or alone, each redirect sends the URL before it.",
            valueName: "url"))
    var referer: String?

    @OptionGroup(title: "Credentials") var credentials: CredentialOptions

    @Flag(name: .customLong("compressed"), help: "Accept a compressed body, and write it decompressed.")
    var isCompressed = false

    @Option(
        name: .customLong("sensitive"),
        help: ArgumentHelp(
            """
            Treat this header field like credentials: -v hides its value, and no redirect sends it to another origin. \
            Repeat for more.
            """, valueName: "name"))
    var sensitiveFields: [String] = []

    /// The files it reads.
    var inputs: [String] { headers.filter { $0.hasPrefix("@") }.map { String($0.dropFirst()) } }

    func validate() throws {
        if referer?.isEmpty == true { throw ValidationError("-e: the Referer is empty") }
    }

    private static let automatic = ";auto"

    /// Whether the request of a redirect names the URL that led to it.
    var updatesReferer: Bool { referer?.hasSuffix(Self.automatic) == true }

    /// The Referer of the first request; nil for none.
    private var firstReferer: String? {
        let first = updatesReferer ? referer.map { String($0.dropLast(Self.automatic.count)) } : referer
        return first?.isEmpty == true ? nil : first
    }

    /// The fields of the options, in order.
    func given() throws -> [HeaderOption] {
        let lines = try headers.flatMap { header in
            guard header.hasPrefix("@") else { return [header] }
            return HeaderOption.lines(in: try InputFile.read(String(header.dropFirst()), for: "-H"))
        }
        let own = try lines.map(HeaderOption.init)
        let names = Set(own.map { $0.name.lowercased() })
        if let option = credentials.option, names.contains("authorization") {
            throw ValidationError("\(option) and -H \"Authorization\" are two credentials: give one of them")
        }
        if isCompressed, names.contains("accept-encoding") {
            throw ValidationError("--compressed and -H \"Accept-Encoding\" contradict each other: give one of them")
        }
        var all = own
        if let userAgent, !names.contains("user-agent") {
            all.append(
                userAgent.isEmpty ? .remove(name: "User-Agent") : .add(name: "User-Agent", value: userAgent))
        }
        if let referer = firstReferer, !names.contains("referer") { all.append(.add(name: "Referer", value: referer)) }
        if let authorization = credentials.authorization {
            all.append(.add(name: "Authorization", value: authorization))
        }
        return all
    }
}
