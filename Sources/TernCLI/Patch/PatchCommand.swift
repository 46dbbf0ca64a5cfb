// SPDX-License-Identifier: Apache-2.0
import ArgumentParser

/// `tern patch`: PATCH requests.
struct PatchCommand: FetchCommand {
    static let configuration = CommandConfiguration(
        commandName: "patch", abstract: "Send a body with PATCH.", discussion: FetchOptions.discussion)
    static let method: String? = "PATCH"

    @OptionGroup var options: FetchOptions
}
