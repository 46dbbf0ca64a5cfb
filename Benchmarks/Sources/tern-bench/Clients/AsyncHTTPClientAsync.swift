// SPDX-License-Identifier: Apache-2.0

internal import AsyncHTTPClient
internal import NIOCore
internal import NIOHTTP1

/// async-http-client by async/await: one task per connection.
struct AsyncHTTPClientAsync: BenchmarkClient {
    private let load: Load
    private let client: HTTPClient

    init(_ load: Load) {
        self.load = load
        client = AsyncHTTPClientSetup.client(load)
    }

    func run(until deadline: UInt64) async -> Tally {
        await runLoops(load) {
            let request = HTTPClientRequest(url: load.url)
            return await loop(load, until: deadline) {
                let response = try await client.execute(request, timeout: .minutes(5))
                var size = 0
                for try await part in response.body { size += part.readableBytes }
                return (Int(response.status.code), size)
            }
        }
    }
}
