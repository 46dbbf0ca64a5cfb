// SPDX-License-Identifier: Apache-2.0

/// What is written about the requests of a run when all is done.
struct RecordOptions: OptionGroup {
    static var table: OptionTable<Self> {
        OptionTable(
            .value(
                "--har", as: "file",
                help: """
                    Write an HTTP Archive of all requests, which the developer tools of browsers open, to this file; "-" \
                    is standard output. It has no bodies and no secrets.
                    """
            ) { $0.har = $1.text },
            .toggle(
                "--timeline",
                help: """
                    Draw on standard error when all is done what each request has spent its time on: a bar for each \
                    wait, and for each phase of each attempt.
                    """
            ) { $0.showsTimeline = $1 },
            .value(
                "--timeline-svg", as: "file",
                help: "Draw the same as a picture (SVG) in this file; \"-\" is standard output."
            ) { $0.timelineFile = $1.text })
    }

    var har: String?
    var showsTimeline = false
    var timelineFile: String?
}
