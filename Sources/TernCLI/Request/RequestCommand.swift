// SPDX-License-Identifier: Apache-2.0
import ArgumentParser

/// `tern request`: requests whose method the options set, by curl's rules.
struct RequestCommand: FetchCommand {
    static let configuration = CommandConfiguration(
        commandName: "request",
        abstract: "Send a request as curl does: GET, POST with -d, PUT with -T, HEAD with -I, or the method of -X.",
        discussion: FetchOptions.discussion)
    static let method: String? = nil

    @OptionGroup var options: FetchOptions
}
