// SPDX-License-Identifier: Apache-2.0
import TestPrograms

/// What curl prints for these arguments.
func curl(_ arguments: String...) async throws -> String { try await curl(arguments) }

func curl(_ arguments: [String]) async throws -> String {
    try await Command.run(["curl", "-sS", "--max-time", "10"] + arguments).output
}
