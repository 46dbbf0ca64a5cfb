// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation

/// The allowed schemes, with curl's option names.
struct SchemeOptions: ParsableArguments {
    private static let all: Set = ["http", "https"]

    @Option(
        name: .customLong("proto"), parsing: .unconditional,
        help: ArgumentHelp(
            "Allow these schemes: \"=https\" only https, \"-http\" all but http. Schemes that tern does not support are ignored.",
            valueName: "schemes"))
    var allowed: String?

    @Option(
        name: .customLong("proto-redir"), parsing: .unconditional,
        help: ArgumentHelp("Allow these in redirects, if --proto allows them, too.", valueName: "schemes"))
    var allowedInRedirects: String?

    var schemes: Set<String> { allowed.map(Self.schemes(in:)) ?? Self.all }

    /// The schemes that a redirect may lead to.
    var redirectSchemes: Set<String> {
        schemes.intersection(allowedInRedirects.map(Self.schemes(in:)) ?? Self.all)
    }

    /// - Throws: curl's failure for a scheme that is not allowed.
    func check(_ target: RequestedURL) throws {
        guard let scheme = target.url.scheme?.lowercased(), !schemes.contains(scheme) else { return }
        throw CommandFailure(.failure, "\"\(target.text.prefix(200))\": --proto does not allow \(scheme)")
    }

    /// As in curl: "=" replaces the allowed schemes, "+" or no sign adds to them, "-" removes from them.
    private static func schemes(in list: String) -> Set<String> {
        var allowed = all
        for item in list.lowercased().split(separator: ",") {
            let name = String(item.drop { "=+-".contains($0) })
            let named = name == "all" ? all : all.intersection([name])
            switch item.first {
            case "=": allowed = named
            case "-": allowed.subtract(named)
            default: allowed.formUnion(named)
            }
        }
        return allowed
    }
}
