// SPDX-License-Identifier: Apache-2.0
import ArgumentParser

/// `tern delete`: DELETE requests.
struct DeleteCommand: FetchCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Send DELETE.", discussion: FetchOptions.discussion)
    static let method: String? = "DELETE"

    @OptionGroup var options: FetchOptions
}
