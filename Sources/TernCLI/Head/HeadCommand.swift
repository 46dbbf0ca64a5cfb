// SPDX-License-Identifier: Apache-2.0
import ArgumentParser

/// `tern head`: HEAD requests, like curl's `-I`.
struct HeadCommand: FetchCommand {
    static let configuration = CommandConfiguration(
        commandName: "head", abstract: "Request the head of a URL, and show it.", discussion: FetchOptions.discussion)
    static let method: String? = "HEAD"

    @OptionGroup var options: FetchOptions
}
