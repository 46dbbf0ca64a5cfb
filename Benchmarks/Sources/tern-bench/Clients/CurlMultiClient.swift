// SPDX-License-Identifier: Apache-2.0

internal import CCurlMulti

/// libcurl's multi interface, driven from C.
@safe
final class CurlMultiClient: BenchmarkClient, @unchecked Sendable {
    // Used by one caller after the other.
    private let client: OpaquePointer

    init(_ load: Load) throws {
        guard let client = unsafe Self.make(load) else { throw PeerUnavailable(reason: "libcurl cannot be set up") }
        unsafe self.client = client
    }

    /// Nothing of the options is kept but their numbers, the open file and copies of what is needed again.
    private static func make(_ load: Load) -> OpaquePointer? {
        var options = unsafe curl_multi_options()
        unsafe options.receive_buffer = load.curlReceiveBuffer ?? (load.isLarge ? .max : 0)
        unsafe options.fresh_handshakes = load.handshakes == .new
        unsafe options.collects = load.collects
        unsafe options.decodes = load.decodesContent == true
        unsafe options.body_size = UInt64(load.bodySize)
        unsafe options.upload_size = load.upload?.size ?? 0
        unsafe options.sends_form = load.upload?.isForm == true
        unsafe options.follows_events = load.followsEvents
        return unsafe withCString(load.upload?.path) { upload in
            unsafe withCString(load.download) { download in
                unsafe (options.upload_path, options.download_path) = unsafe (upload, download)
                return unsafe curl_multi_client_new(load.url, load.authority, Int32(load.connections), options)
            }
        }
    }

    private static func withCString(
        _ text: String?, _ body: (UnsafePointer<CChar>?) -> OpaquePointer?
    ) -> OpaquePointer? {
        guard let text else { return unsafe body(nil) }
        return unsafe text.withCString { unsafe body($0) }
    }

    deinit { unsafe curl_multi_client_free(client) }

    /// Nil if the benchmark was built without libcurl.
    static var version: String? { unsafe curl_multi_version().map { unsafe String(cString: $0) } }

    /// The file of authorities for a program that cannot set its own.
    static var defaultAuthorities: String? {
        unsafe curl_multi_default_authorities().map { unsafe String(cString: $0) }
    }

    func run(until deadline: UInt64) async -> Tally {
        unsafe Tally { unsafe curl_multi_client_run(client, deadline, $0) }
    }
}
