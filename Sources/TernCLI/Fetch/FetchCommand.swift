// SPDX-License-Identifier: Apache-2.0
import ArgumentParser

/// A command that sends requests: such commands differ only in the method, whose name is theirs.
protocol FetchCommand: AsyncParsableCommand, EndsLikeCurl {
    /// The method of the command; nil leaves it to the options.
    static var method: String? { get }
    static var abstract: String { get }
    var options: FetchOptions { get set }
}

extension FetchCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: method?.lowercased() ?? "request", abstract: abstract, discussion: FetchOptions.discussion)
    }

    func run() async throws { try await FetchRun(method: Self.method, options: options).run() }
}

/// `tern get`: GET requests, with curl's defaults.
struct GetCommand: FetchCommand {
    static let method: String? = "GET"
    static let abstract = "Fetch a URL."

    @OptionGroup var options: FetchOptions
}

/// `tern head`: HEAD requests, like curl's `-I`.
struct HeadCommand: FetchCommand {
    static let method: String? = "HEAD"
    static let abstract = "Request the head of a URL, and show it."

    @OptionGroup var options: FetchOptions
}

/// `tern put`: PUT requests.
struct PutCommand: FetchCommand {
    static let method: String? = "PUT"
    static let abstract = "Send a body with PUT."

    @OptionGroup var options: FetchOptions
}

/// `tern post`: POST requests.
struct PostCommand: FetchCommand {
    static let method: String? = "POST"
    static let abstract = "Send a body with POST."

    @OptionGroup var options: FetchOptions
}

/// `tern patch`: PATCH requests.
struct PatchCommand: FetchCommand {
    static let method: String? = "PATCH"
    static let abstract = "Send a body with PATCH."

    @OptionGroup var options: FetchOptions
}

/// `tern delete`: DELETE requests.
struct DeleteCommand: FetchCommand {
    static let method: String? = "DELETE"
    static let abstract = "Send DELETE."

    @OptionGroup var options: FetchOptions
}

/// `tern request`: requests whose method the options set, by curl's rules.
struct RequestCommand: FetchCommand {
    static let method: String? = nil
    static let abstract =
        "Send a request as curl does: GET, POST with -d, PUT with -T, HEAD with -I, or the method of -X."

    @OptionGroup var options: FetchOptions
}
