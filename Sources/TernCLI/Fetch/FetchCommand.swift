// SPDX-License-Identifier: Apache-2.0
import ArgumentParser

/// A command that sends requests: such commands differ only in the method.
protocol FetchCommand: AsyncParsableCommand, EndsLikeCurl {
    /// The method of the command; nil leaves it to the options.
    static var method: String? { get }
    var options: FetchOptions { get set }
}

extension FetchCommand {
    func run() async throws { try await FetchRun(method: Self.method, options: options).run() }
}

/// `tern get`: GET requests, with curl's defaults.
struct GetCommand: FetchCommand {
    static let configuration = CommandConfiguration(
        commandName: "get", abstract: "Fetch a URL.", discussion: FetchOptions.discussion)
    static let method: String? = "GET"

    @OptionGroup var options: FetchOptions
}

/// `tern head`: HEAD requests, like curl's `-I`.
struct HeadCommand: FetchCommand {
    static let configuration = CommandConfiguration(
        commandName: "head", abstract: "Request the head of a URL, and show it.", discussion: FetchOptions.discussion)
    static let method: String? = "HEAD"

    @OptionGroup var options: FetchOptions
}

/// `tern put`: PUT requests.
struct PutCommand: FetchCommand {
    static let configuration = CommandConfiguration(
        commandName: "put", abstract: "Send a body with PUT.", discussion: FetchOptions.discussion)
    static let method: String? = "PUT"

    @OptionGroup var options: FetchOptions
}

/// `tern post`: POST requests.
struct PostCommand: FetchCommand {
    static let configuration = CommandConfiguration(
        commandName: "post", abstract: "Send a body with POST.", discussion: FetchOptions.discussion)
    static let method: String? = "POST"

    @OptionGroup var options: FetchOptions
}

/// `tern patch`: PATCH requests.
struct PatchCommand: FetchCommand {
    static let configuration = CommandConfiguration(
        commandName: "patch", abstract: "Send a body with PATCH.", discussion: FetchOptions.discussion)
    static let method: String? = "PATCH"

    @OptionGroup var options: FetchOptions
}

/// `tern delete`: DELETE requests.
struct DeleteCommand: FetchCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Send DELETE.", discussion: FetchOptions.discussion)
    static let method: String? = "DELETE"

    @OptionGroup var options: FetchOptions
}

/// `tern request`: requests whose method the options set, by curl's rules.
struct RequestCommand: FetchCommand {
    static let configuration = CommandConfiguration(
        commandName: "request",
        abstract: "Send a request as curl does: GET, POST with -d, PUT with -T, HEAD with -I, or the method of -X.",
        discussion: FetchOptions.discussion)
    static let method: String? = nil

    @OptionGroup var options: FetchOptions
}
