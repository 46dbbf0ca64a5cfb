// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import Foundation

/// The pictures of the README and of the documentation, from a run that was recorded.
struct DrawPictures: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "draw",
        abstract: "Draws a recorded run: six clients over http for the README, and all clients for the documentation.")

    @Argument(help: "The file that `run --json` has written.") var file: String
    @Option(help: "The picture of six clients, as SVG.") var few: String
    @Option(help: "The picture of all clients, as SVG.") var all: String

    func run() throws {
        let run = try RecordedRun(file: file).only(["-small-64"])
        let pictures = [
            (few, Plot(run.only(["http-"]), of: Plot.few)), (all, Plot(run, of: Plot.all)),
        ]
        for (file, plot) in pictures { try Data(plot.svg.utf8).write(to: URL(fileURLWithPath: file)) }
    }
}
