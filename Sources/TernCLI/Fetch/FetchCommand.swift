// SPDX-License-Identifier: Apache-2.0
import ArgumentParser

/// A command that sends requests: they differ in the method, and share everything else.
protocol FetchCommand: AsyncParsableCommand, EndsLikeCurl {
    /// The method it stands for; nil leaves it to the options.
    static var method: String? { get }
    var options: FetchOptions { get set }
}

extension FetchCommand {
    func run() async throws { try await FetchRun(method: Self.method, options: options).run() }
}
