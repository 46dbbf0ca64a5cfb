// SPDX-License-Identifier: Apache-2.0

/// All options of a command that sends requests: groups that `--next` separates, each with its own URLs, and those that
/// hold for all groups.
struct RunOptions: OptionGroup {
    static var table: OptionTable<Self> { table(ContentOptions.table) }

    /// Those of a command, with what it takes of the method and the body.
    static func table(_ content: OptionTable<ContentOptions>) -> OptionTable<Self> {
        OptionTable(
            .group(\.last, part: OptionTable(FetchOptions.urls, FetchOptions.fetch(content))),
            .flag(
                "-:", "--next",
                help: """
                    Begin another group of options, with URLs of its own. It has none of the options before, but those \
                    of messages and of several URLs, which hold for all; connections, cookies and storages are shared.
                    """
            ) { $0.beginGroup() },
            .group(\.global))
    }

    static let discussion = """
        Options that have curl's names mean what they mean in curl. A response with any status is a success unless -f or \
        --fail-with-body is given.
        """

    var global = GlobalOptions()
    private var earlier: [FetchOptions] = []
    /// The group that is being read.
    var last = FetchOptions()

    init() {}

    init(_ group: FetchOptions, _ global: GlobalOptions) { (last, self.global) = (group, global) }

    var groups: [FetchOptions] { earlier + [last] }

    /// As in curl, a group without URLs goes on.
    private mutating func beginGroup() {
        if last.urls.isEmpty { return }
        earlier.append(last)
        last = FetchOptions()
    }

    func validate() throws {
        if !earlier.isEmpty { try FetchOptions.check(earlier) }
        let groups = groups
        try InputFile.checkStandardInput(groups.flatMap(\.inputs))
        for group in groups
        where !group.fields.sensitiveFields.isEmpty && !global.messages.isVerbose && !group.transfer.isFollowing {
            throw UsageError(
                "--sensitive hides a field from -v, and with -L keeps it from other origins: give -v or -L")
        }
    }
}
