// SPDX-License-Identifier: Apache-2.0

internal import AsyncHTTPClient
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL

/// How async-http-client is set up for either of its interfaces: HTTP/1.1 only, enough connections, no decompression.
///
/// One event loop, as Tern has one reactor on the same two cores: with more, its CPU time per request only grows.
enum AsyncHTTPClientSetup {
    /// The loop that its clients run on.
    static let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)

    static func client(_ load: Load) -> HTTPClient {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.trustRoots = .file(load.authority)
        var configuration = HTTPClient.Configuration(tlsConfiguration: tls, decompression: .disabled)
        configuration.httpVersion = .http1Only
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = load.connections
        return HTTPClient(eventLoopGroupProvider: .shared(group), configuration: configuration)
    }

    static func failed(_ error: any Error) -> EventLoopFuture<(Int, Int)> { group.next().makeFailedFuture(error) }

    static func request(_ load: Load) throws -> HTTPClient.Request {
        var request = try HTTPClient.Request(url: load.url, method: load.upload == nil ? .GET : .POST)
        if let upload = load.upload {
            let form = upload.isForm ? Form() : nil
            if let form { request.headers.add(name: "Content-Type", value: form.type) }
            request.body = body(of: upload, form)
        }
        return request
    }

    /// What is in front of the file of a form, and behind it.
    private struct Form {
        private static let boundary = "tern-bench-0123456789abcdef"
        let type = "multipart/form-data; boundary=\(boundary)"
        let beginning = ByteBuffer(
            string: """
                --\(boundary)\r
                Content-Disposition: form-data; name="\(UploadForm.textName)"\r
                \r
                \(UploadForm.text)\r
                --\(boundary)\r
                Content-Disposition: form-data; name="\(UploadForm.fileName)"; filename="large"\r
                Content-Type: application/byte-stream\r
                \r

                """)
        let end = ByteBuffer(string: "\r\n--\(boundary)--\r\n")
    }

    /// Read in chunks of 128 KB while it is sent; async-http-client has no API for files or forms.
    private static func body(of upload: Upload, _ form: Form?) -> HTTPClient.Body {
        guard let path = upload.path else { return .byteBuffer(ByteBuffer(repeating: 0x54, count: upload.size)) }
        let (beginning, end) = (form?.beginning ?? ByteBuffer(), form?.end ?? ByteBuffer())
        let length = beginning.readableBytes + upload.size + end.readableBytes
        return .stream(contentLength: Int64(length)) { writer in
            let (files, loop) = (NonBlockingFileIO(threadPool: .singleton), group.next())
            return files.openFile(_deprecatedPath: path, mode: .read, eventLoop: loop).flatMap { file in
                let first = form == nil ? loop.makeSucceededVoidFuture() : writer.write(.byteBuffer(beginning))
                return first.flatMap {
                    files.readChunked(
                        fileHandle: file, byteCount: upload.size, chunkSize: 128 * 1024,
                        allocator: ByteBufferAllocator(), eventLoop: loop
                    ) { writer.write(.byteBuffer($0)) }
                }
                .flatMap { form == nil ? loop.makeSucceededVoidFuture() : writer.write(.byteBuffer(end)) }
                .always { _ in try? file.close() }
            }
        }
    }
}
