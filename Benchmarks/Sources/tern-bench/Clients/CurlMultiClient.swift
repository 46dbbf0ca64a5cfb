// SPDX-License-Identifier: Apache-2.0

internal import CCurlMulti

/// libcurl's multi interface, driven from C.
@safe
final class CurlMultiClient: BenchmarkClient, @unchecked Sendable {
    // Used by one caller after the other.
    private let client: OpaquePointer

    init(_ load: Load) throws {
        let options = curl_multi_options(large_bodies: load.isLarge, fresh_handshakes: load.handshakes == .new)
        let client = unsafe curl_multi_client_new(load.url, load.authority, Int32(load.connections), options)
        guard let client = unsafe client else { throw PeerUnavailable(reason: "libcurl cannot be set up") }
        unsafe self.client = client
    }

    deinit { unsafe curl_multi_client_free(client) }

    /// Nil if the benchmark was built without libcurl.
    static var version: String? { unsafe curl_multi_version().map { unsafe String(cString: $0) } }

    /// The file of authorities that a program has to trust if it cannot name its own.
    static var defaultAuthorities: String? {
        unsafe curl_multi_default_authorities().map { unsafe String(cString: $0) }
    }

    func run(until deadline: UInt64) async -> Tally {
        var tally = Tally()
        unsafe tally.latencies.counts.withUnsafeMutableBufferPointer { counts in
            var result = unsafe curl_multi_tally(requests: 0, errors: 0, bytes: 0, latencies: counts.baseAddress)
            unsafe curl_multi_client_run(client, deadline, &result)
            unsafe (tally.requests, tally.errors) = (result.requests, result.errors)
        }
        return tally
    }
}
