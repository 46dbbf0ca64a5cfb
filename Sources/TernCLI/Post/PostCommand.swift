// SPDX-License-Identifier: Apache-2.0
import ArgumentParser

/// `tern post`: POST requests.
struct PostCommand: FetchCommand {
    static let configuration = CommandConfiguration(
        commandName: "post", abstract: "Send a body with POST.", discussion: FetchOptions.discussion)
    static let method: String? = "POST"

    @OptionGroup var options: FetchOptions
}
