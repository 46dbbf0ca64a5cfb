// SPDX-License-Identifier: Apache-2.0
import ArgumentParser

/// A command that sends requests: such commands differ only in the method.
protocol FetchCommand: AsyncParsableCommand, EndsLikeCurl {
    /// The method of the command; nil leaves it to the options.
    static var method: String? { get }
    var options: FetchOptions { get set }
}

extension FetchCommand {
    func run() async throws { try await FetchRun(method: Self.method, options: options).run() }
}
