// SPDX-License-Identifier: Apache-2.0
import ArgumentParser

/// `tern head`: HEAD requests, as curl's `-I`.
struct HeadCommand: FetchCommand {
    static let configuration = CommandConfiguration(
        commandName: "head", abstract: "Ask for the head of a URL, and show it.", discussion: FetchOptions.discussion)
    static let method: String? = "HEAD"

    @OptionGroup var options: FetchOptions
}
