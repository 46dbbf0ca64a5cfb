// SPDX-License-Identifier: Apache-2.0
import ArgumentParser

/// `tern get`: GET requests, with curl's defaults.
struct GetCommand: FetchCommand {
    static let configuration = CommandConfiguration(
        commandName: "get", abstract: "Fetch a URL.", discussion: FetchOptions.discussion)
    static let method: String? = "GET"

    @OptionGroup var options: FetchOptions
}
