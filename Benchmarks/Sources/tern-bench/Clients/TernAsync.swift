// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Glibc
internal import TernEngine

/// Tern by async/await: one task per connection. Small bodies are collected; large ones are discarded as they
/// come unless the load wants them whole, or in a file.
struct TernAsync: BenchmarkClient {
    private let load: Load
    private let session: Session
    private let request: URLRequest
    private let executor: (any TaskExecutor)?

    /// Tasks on the global executor.
    init(_ load: Load) throws { try self.init(load, onReactor: false) }

    init(_ load: Load, onReactor: Bool) throws {
        self.load = load
        session = Session(
            configuration: try TernSetup.configuration(load), serverTrustPolicyManager: try TernSetup.policies(load))
        request = try TernSetup.request(load)
        executor = onReactor ? session.executors.first : nil
    }

    func run(until deadline: UInt64) async -> Tally {
        await runLoops(load, on: executor) {
            await loop(load, until: deadline) {
                if let path = load.download { return try await download(to: path) }
                return load.isLarge && !load.collects ? try await discard() : try await collect()
            }
        }
    }

    private func download(to path: String) async throws(SessionError) -> (status: Int, size: Int) {
        let (file, response) = try await session.download(
            for: request, to: URL(filePath: path, directoryHint: .notDirectory))
        return (response.statusCode, FileSize.of(file.path))
    }

    private func collect() async throws(SessionError) -> (status: Int, size: Int) {
        let (data, response) = try await session.data(for: request)
        return (response.statusCode, data.count)
    }

    private func discard() async throws(SessionError) -> (status: Int, size: Int) {
        let (bytes, response) = try await session.bytes(for: request)
        var size = 0
        for try await piece in bytes { size += piece.count }
        return (response.statusCode, size)
    }
}

/// How long files are.
private enum FileSize {
    /// In bytes; 0 if there is none.
    static func of(_ path: String) -> Int {
        // Safety: the path is lent for the call.
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return 0 }
        defer { close(descriptor) }
        return max(0, Int(lseek(descriptor, 0, SEEK_END)))
    }
}
