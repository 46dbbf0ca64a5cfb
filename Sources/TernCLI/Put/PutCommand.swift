// SPDX-License-Identifier: Apache-2.0
import ArgumentParser

/// `tern put`: PUT requests.
struct PutCommand: FetchCommand {
    static let configuration = CommandConfiguration(
        commandName: "put", abstract: "Send a body with PUT.", discussion: FetchOptions.discussion)
    static let method: String? = "PUT"

    @OptionGroup var options: FetchOptions
}
