// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernLock
import TernTLS
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

/// Serves a file, whole and in ranges. The whole is held after its first bytes, until the client closes or the test
/// releases it.
private final class PartsOrigin: Sendable {
    typealias Answer = @Sendable (_ first: Int, _ last: Int, _ number: Int) -> [ScriptedOrigin.Step]?

    struct Manners: Sendable {
        var fields = "ETag: \"one\"\r\nAccept-Ranges: bytes\r\n"
        /// The number of bytes of the whole before the pause; nil for no pause.
        var holdsAfter: Int?
        /// Answers the whole from the second request for it on.
        var later: [ScriptedOrigin.Step]?
        /// Answers a range instead. Requests for a range are numbered from 0 by where it begins.
        var instead: Answer = { _, _, _ in nil }
    }

    let origin: ScriptedOrigin

    init(_ content: [UInt8], _ change: (inout Manners) -> Void = { _ in }) throws {
        var manners = Manners()
        change(&manners)
        let fixed = manners
        let counts = Lock<[Int: Int]>([:])
        origin = try ScriptedOrigin { _, request in
            let ends = (request.value(of: "Range") ?? "").dropFirst(6).split(separator: "-").compactMap { Int($0) }
            let number = counts.withLock { counts in
                defer { counts[ends.first ?? -1, default: 0] += 1 }
                return counts[ends.first ?? -1] ?? 0
            }
            guard let first = ends.first else { return Self.whole(content, fixed, number) }
            let last = ends.count > 1 ? ends[1] : content.count - 1
            return fixed.instead(first, last, number) ?? Self.part(content, first, last, fixed.fields)
        }
    }

    private static func whole(_ content: [UInt8], _ manners: Manners, _ number: Int) -> [ScriptedOrigin.Step] {
        if number > 0, let later = manners.later { return later }
        let head = Array("HTTP/1.1 200 OK\r\n\(manners.fields)Content-Length: \(content.count)\r\n\r\n".utf8)
        guard let count = manners.holdsAfter else { return [.send(head + content)] }
        return [.send(head + content.prefix(count)), .hold, .send(Array(content.dropFirst(count)))]
    }

    /// - Parameter count: the number of bytes before the connection is closed; nil for all.
    static func part(
        _ content: [UInt8], _ first: Int, _ last: Int, _ fields: String = "ETag: \"one\"\r\n",
        breaksOffAfter count: Int? = nil
    ) -> [ScriptedOrigin.Step] {
        let head = """
            HTTP/1.1 206 P\r\n\(fields)Content-Range: bytes \(first)-\(last)/\(content.count)\r\n\
            Content-Length: \(last - first + 1)\r\n\r\n
            """
        let body = content[first...last]
        guard let count else { return [.send(Array(head.utf8) + body)] }
        return [.send(Array(head.utf8) + body.prefix(count)), .hold, .close]
    }

    func request() throws -> URLRequest { try URLRequest(origin, "/file") }

    /// The ranges that were requested, in order; "" for none.
    var ranges: [String] { origin.requests.map { $0.value(of: "Range") ?? "" }.sorted() }

    /// Waits until the client has left the first connection, and lets the others continue.
    func releaseAfterCut() async throws {
        #expect(await origin.waitFor { $0.closes.contains { $0.connection == 1 } })
        try origin.release()
    }

    func releaseAfter(_ count: Int) async throws {
        #expect(await origin.waitFor { $0.requestCount >= count })
        try origin.release()
    }
}

@Suite(.timeLimit(.minutes(5))) struct DownloadPartsTests {
    private let content = Array(Pattern.bytes.prefix(1_200_000))
    private let other = Array(Pattern.bytes.prefix(1_100_000).reversed())
    private let three = ["", "bytes=400000-799999", "bytes=800000-1199999"]

    private var settings: DownloadSettings {
        var settings = DownloadSettings()
        settings.parts = DownloadParts(maximum: 3, minimumSize: 100_000)
        return settings
    }

    private func session(retries: Int = 0, connections: Int = 8) -> Session {
        .limited(to: connections) {
            $0.retryPolicy = .standard
            $0.retryPolicy.maximumRetries = retries
            $0.retryPolicy.backOff = .init(base: .milliseconds(2), maximum: .milliseconds(2), jitter: .none)
            $0.retryPolicy.budget = nil
        }
    }

    /// Why the download fails; nil if it does not.
    private func failure(
        _ session: Session, _ origin: PartsOrigin, to target: URL, _ settings: DownloadSettings? = nil
    ) async throws -> SessionError? {
        let request = try origin.request()
        do throws(SessionError) {
            _ = try await session.download(for: request, to: target, settings: settings ?? self.settings)
            return nil
        } catch {
            return error
        }
    }

    @Test func `a division has parts of the minimum size, and as many as it may`() {
        let parts = DownloadParts(maximum: 4, minimumSize: 10)
        #expect(parts.others(of: 0..<19).isEmpty && parts.others(of: 5..<24).isEmpty)
        #expect(parts.others(of: 5..<26) == [15..<26])
        #expect(parts.others(of: 0..<43) == [10..<20, 20..<30, 30..<43])
        #expect(parts.others(of: 0..<1_000_003).map(\.lowerBound) == [250_000, 500_000, 750_000])
        #expect(DownloadParts(maximum: .max, minimumSize: .min).others(of: 0..<Int64.max).count == 63)
        #expect(DownloadParts(maximum: -1).others(of: 0..<Int64.max).isEmpty)
    }

    @Test(arguments: [false, true], [false, true])
    func `parts arrive at once and become the file`(isResumable: Bool, isVerified: Bool) async throws {
        let origin = try PartsOrigin(content) { $0.holdsAfter = 400_000 }
        let (folder, session, recorder) = (try TestFolder(), self.session(), DownloadRecorder())
        try folder.write("old", to: "file")
        var settings = self.settings
        settings.isResumable = isResumable
        if isVerified { settings.verification = .digest(.sha256, try Self.digest(content)) }
        let task = session.downloadTask(
            with: try origin.request(), to: folder.url("file"), settings: settings, delegate: recorder)
        task.resume()
        let record = await recorder.end()
        #expect(record.error == nil && folder.content("file") == content && folder.names == ["file"])
        #expect(record.events == [.head(200), .finished, .end(failed: false)])
        #expect(origin.ranges == three)
        #expect(origin.origin.requests.dropFirst().allSatisfy { $0.value(of: "If-Range") == "\"one\"" })
        #expect(origin.origin.requests.allSatisfy { $0.value(of: "Accept-Encoding") == "identity" })
        #expect(task.countOfBytesReceived == 1_200_000 && task.response?.statusCode == 200)
        var length: Int64 = 0
        for step in record.progress {
            #expect(step.total == length + step.written && step.written > 0 && step.expected == 1_200_000)
            length = step.total
        }
        #expect(length == 1_200_000)
        await session.expectNothingLeft()
    }

    private static func digest(_ content: [UInt8]) throws -> Data {
        var digest = MessageDigest(.sha256)
        unsafe content.withUnsafeBytes { unsafe digest.update($0) }
        let value = digest.finish()
        return Data(try #require(value))
    }

    @Test(arguments: [
        "Accept-Ranges: bytes\r\n", "ETag: \"one\"\r\n", "ETag: W/\"one\"\r\nAccept-Ranges: bytes\r\n",
        "ETag: \"one\"\r\nAccept-Ranges: none\r\n",
    ])
    func `a file that cannot be divided is one request`(fields: String) async throws {
        let origin = try PartsOrigin(content) { $0.fields = fields }
        let folder = try TestFolder()
        #expect(try await failure(session(), origin, to: folder.url("file")) == nil)
        #expect(folder.content("file") == content && origin.ranges == [""])
    }

    @Test(arguments: [0, 1, 199_999]) func `a short file is one request`(count: Int) async throws {
        let origin = try PartsOrigin(Array(content.prefix(count)))
        let folder = try TestFolder()
        #expect(try await failure(session(), origin, to: folder.url("file")) == nil)
        #expect(folder.content("file") == Array(content.prefix(count)) && origin.ranges == [""])
    }

    @Test func `with one connection the first request brings the whole`() async throws {
        let origin = try PartsOrigin(content)
        let (folder, session) = (try TestFolder(), self.session(connections: 1))
        #expect(try await failure(session, origin, to: folder.url("file")) == nil)
        #expect(folder.content("file") == content && origin.ranges == [""])
        await session.expectNothingLeft()
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nETag: \"two\"\r\nContent-Length: 2\r\n\r\nno",
        "HTTP/1.1 206 P\r\nETag: \"two\"\r\nContent-Range: bytes 400000-400001/1200000\r\nContent-Length: 2\r\n\r\nno",
        "HTTP/1.1 206 P\r\nETag: \"one\"\r\nContent-Range: bytes 0-1/1200000\r\nContent-Length: 2\r\n\r\nno",
        "HTTP/1.1 206 P\r\nETag: \"one\"\r\nContent-Range: bytes 400000-400001/1200001\r\nContent-Length: 2\r\n\r\nno",
        "HTTP/1.1 412 No\r\nContent-Length: 2\r\n\r\nno", "HTTP/1.1 416 No\r\nContent-Length: 2\r\n\r\nno",
        "HTTP/1.1 404 No\r\nContent-Type: text/html\r\nContent-Length: 2\r\n\r\nno",
        "HTTP/1.1 503 No\r\nContent-Length: 2\r\n\r\nno",
    ])
    func `where a part is not to be had, the first request brings the whole`(answer: String) async throws {
        let origin = try PartsOrigin(content) {
            $0.holdsAfter = 300_000
            $0.instead = { first, _, _ in first == 400_000 ? [.send(answer)] : nil }
        }
        let (folder, session) = (try TestFolder(), self.session())
        async let end = failure(session, origin, to: folder.url("file"))
        try await origin.releaseAfter(3)
        #expect(try await end == nil)
        #expect(folder.content("file") == content && origin.ranges == three && folder.names == ["file"])
        await session.expectNothingLeft()
    }

    @Test func `a part that is shorter than requested is followed by the rest`() async throws {
        let origin = try PartsOrigin(content) { [content] manners in
            manners.holdsAfter = 400_000
            manners.instead = { first, last, _ in PartsOrigin.part(content, first, min(last, first + 149_999)) }
        }
        let (folder, session) = (try TestFolder(), self.session())
        #expect(try await failure(session, origin, to: folder.url("file")) == nil)
        #expect(folder.content("file") == content)
        #expect(
            origin.ranges == [
                "", "bytes=1100000-1199999", "bytes=400000-799999", "bytes=550000-799999", "bytes=700000-799999",
                "bytes=800000-1199999", "bytes=950000-1199999",
            ])
    }

    @Test func `a server that answers with crumbs is not asked for ever`() async throws {
        let origin = try PartsOrigin(content) { [content] manners in
            manners.holdsAfter = 400_000
            manners.instead = { first, last, _ in
                first < 800_000 ? PartsOrigin.part(content, first, first) : nil
            }
        }
        let folder = try TestFolder()
        let error = try await failure(session(), origin, to: folder.url("file"))
        guard case .download(.incomplete(received: 64, of: 400_000))? = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(folder.names.isEmpty && origin.ranges.count == 66)
    }

    @Test func `a part that is longer than requested does not reach into the next one`() async throws {
        let wrong = Array(content.prefix(600_000)) + [UInt8](repeating: 7, count: 600_000)
        let origin = try PartsOrigin(content) { manners in
            manners.holdsAfter = 400_000
            manners.instead = { first, _, _ in
                first == 400_000 ? PartsOrigin.part(wrong, first, 1_199_999) : nil
            }
        }
        var expected = content
        expected.replaceSubrange(600_000..<800_000, with: [UInt8](repeating: 7, count: 200_000))
        let folder = try TestFolder()
        #expect(try await failure(session(), origin, to: folder.url("file")) == nil)
        #expect(folder.content("file") == expected)
    }

    @Test func `a part that breaks off is requested from where it ended`() async throws {
        let origin = try PartsOrigin(content) { [content] manners in
            manners.holdsAfter = 400_000
            manners.instead = { first, last, _ in
                first == 400_000 ? PartsOrigin.part(content, first, last, breaksOffAfter: 123_456) : nil
            }
        }
        let (folder, session) = (try TestFolder(), self.session(retries: 1))
        async let end = failure(session, origin, to: folder.url("file"))
        try await origin.releaseAfterCut()
        #expect(try await end == nil)
        #expect(folder.content("file") == content)
        #expect(origin.ranges == ["", "bytes=400000-799999", "bytes=523456-799999", "bytes=800000-1199999"])
    }

    @Test func `when the retries are used up, what has no hole is kept`() async throws {
        let isWell = Lock(false)
        let origin = try PartsOrigin(content) { [content] manners in
            manners.holdsAfter = 400_000
            manners.instead = { first, last, _ in
                first == 400_000 && !isWell.withLock { $0 }
                    ? PartsOrigin.part(content, first, last, breaksOffAfter: 123_456) : nil
            }
        }
        let (folder, session) = (try TestFolder(), self.session())
        try folder.write("old", to: "file")
        var settings = self.settings
        settings.isResumable = true
        async let end = failure(session, origin, to: folder.url("file"), settings)
        try await origin.releaseAfterCut()
        let error = try await end
        #expect(error?.reason.isConnectionLoss == true)
        #expect(folder.content("file") == Array("old".utf8))
        let kept = Array(content.prefix(523_456))
        #expect(folder.content(".file.tern-part") == kept)
        #expect(try ResumeData(try #require(error?.resumeData)).countOfBytesReceived == 523_456)
        isWell.withLock { $0 = true }
        // The rest is divided again.
        #expect(try await failure(session, origin, to: folder.url("file"), settings) == nil)
        #expect(folder.content("file") == content && folder.names == ["file"])
        #expect(origin.ranges.contains("bytes=523456-"))
    }

    @Test(arguments: [
        "HTTP/1.1 412 No\r\nContent-Length: 2\r\n\r\nno",
        "HTTP/1.1 200 OK\r\nETag: \"two\"\r\nContent-Length: 2\r\n\r\nno",
    ])
    func `a resource that changes after the first part is downloaded again, as one`(answer: String) async throws {
        let origin = try PartsOrigin(content) { [content, other] manners in
            manners.holdsAfter = 400_000
            manners.later = [
                .send(
                    Array("HTTP/1.1 200 OK\r\nETag: \"two\"\r\nContent-Length: \(other.count)\r\n\r\n".utf8) + other)
            ]
            manners.instead = { first, last, _ in
                switch first {
                case 400_000: PartsOrigin.part(content, first, last, breaksOffAfter: 1000)
                case 800_000...: nil
                default: [.send(answer)]
                }
            }
        }
        let (folder, session, recorder) = (try TestFolder(), self.session(retries: 1), DownloadRecorder())
        let task = session.downloadTask(
            with: try origin.request(), to: folder.url("file"), settings: settings, delegate: recorder)
        task.resume()
        try await origin.releaseAfterCut()
        let record = await recorder.end()
        #expect(record.error == nil && folder.content("file") == other && folder.names == ["file"])
        #expect(record.events == [.head(200), .resumed(0, of: -1), .head(200), .finished, .end(failed: false)])
        #expect(origin.ranges == ["", "", "bytes=400000-799999", "bytes=401000-799999", "bytes=800000-1199999"])
        #expect(task.response?.headers["ETag"] == "\"two\"")
        await session.expectNothingLeft()
    }

    @Test func `a wrong part after the first one is an error`() async throws {
        let origin = try PartsOrigin(content) { [content] manners in
            manners.holdsAfter = 400_000
            manners.instead = { first, last, _ in
                switch first {
                case 400_000: PartsOrigin.part(content, first, last, breaksOffAfter: 1000)
                case 800_000...: nil
                default: PartsOrigin.part(content, 0, 9)
                }
            }
        }
        let (folder, session) = (try TestFolder(), self.session(retries: 1))
        try folder.write("old", to: "file")
        async let end = failure(session, origin, to: folder.url("file"))
        try await origin.releaseAfterCut()
        guard case .download(.wrongPart(.start(0, asked: 401_000)))? = try await end?.reason else {
            Issue.record("another error")
            return
        }
        #expect(folder.content("file") == Array("old".utf8) && folder.names == ["file"])
    }

    @Test func `a digest that does not match leaves the target as it was`() async throws {
        let origin = try PartsOrigin(content) { $0.holdsAfter = 400_000 }
        let folder = try TestFolder()
        try folder.write("old", to: "file")
        var settings = self.settings
        settings.isResumable = true
        settings.verification = .digest(.sha256, try Self.digest(other))
        let error = try await failure(session(), origin, to: folder.url("file"), settings)
        guard case .download(.digestMismatch(.sha256, _, let actual))? = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(try Data(actual) == Self.digest(content))
        #expect(folder.content("file") == Array("old".utf8) && folder.names == ["file"])
    }

    @Test func `a file that may not be so long is not divided first`() async throws {
        let origin = try PartsOrigin(content) { $0.holdsAfter = 1000 }
        let folder = try TestFolder()
        var settings = self.settings
        settings.maximumLength = 1_199_999
        let error = try await failure(session(), origin, to: folder.url("file"), settings)
        guard case .download(.tooLong)? = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(origin.ranges == [""] && folder.names.isEmpty)
    }

    @Test(arguments: [false, true], [false, true])
    func `a download in parts can be cancelled`(isCut: Bool, isResumable: Bool) async throws {
        let origin = try PartsOrigin(content) { [content] manners in
            manners.holdsAfter = isCut ? 400_000 : 250_000
            manners.instead = { first, last, _ in PartsOrigin.part(content, first, last, breaksOffAfter: 100_000) }
        }
        let (folder, session, recorder) = (try TestFolder(), self.session(), DownloadRecorder())
        try folder.write("old", to: "file")
        var settings = self.settings
        settings.isResumable = isResumable
        let task = session.downloadTask(
            with: try origin.request(), to: folder.url("file"), settings: settings, delegate: recorder)
        task.resume()
        #expect(await eventually { recorder.record.progress.last?.total == (isCut ? 600_000 : 450_000) })
        task.cancel()
        let record = await recorder.end()
        #expect(record.error?.reason.isCancellation == true)
        #expect(folder.content("file") == Array("old".utf8))
        let kept = Array(content.prefix(isCut ? 500_000 : 250_000))
        #expect(folder.content(".file.tern-part") == (isResumable ? kept : nil))
        #expect(folder.names.count == (isResumable ? 3 : 1))
        await session.expectNothingLeft()
    }

    @Test func `a response that is no success is an error`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.respond(status: 404, body: "<html>gone</html>")] }
        let (folder, session) = (try TestFolder(), self.session())
        let error = await #expect(throws: SessionError.self) {
            _ = try await session.download(
                for: URLRequest(origin), to: folder.url("file"), settings: settings)
        }
        guard case .download(.unsuccessful(let response))? = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(response.statusCode == 404 && folder.names.isEmpty && origin.requests.count == 1)
    }
}
