// SPDX-License-Identifier: Apache-2.0
import ArgumentParser

/// Options of curl for what tern always does. They exist so that commands written for curl run.
struct AcceptedOptions: ParsableArguments {
    @Flag(name: .customLong("http1.1"), help: "Speak HTTP/1.1.")
    var speaksHTTP11 = false

    @Flag(name: [.customShort("N"), .customLong("no-buffer")], help: "Write the body as it arrives.")
    var isUnbuffered = false

    @Flag(name: [.customShort("#"), .customLong("progress-bar")], help: "Show progress as a bar.")
    var showsBar = false

    @Flag(name: [.customShort("q"), .customLong("disable")], help: "Read no configuration file.")
    var readsNoConfiguration = false
}
