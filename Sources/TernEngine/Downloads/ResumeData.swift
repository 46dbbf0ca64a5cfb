// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials
import TernHTTP1
import TernFiles

/// The data to resume an interrupted download: its URL, the state of the resource, and its partial file.
///
/// Encoded as JSON, it outlives the process. It is checked before use: a path in it must be one that a download would
/// have chosen. It holds no credentials, neither of the URL nor of header fields, but it does hold the URL's query.
public struct ResumeData: Sendable, Hashable {
    /// The URL of the first request, before redirects; without userinfo.
    public let url: URL
    /// The partial file.
    public let partialFile: URL
    /// The length of the partial content; nil if it is that of the partial file.
    public let countOfBytesReceived: Int64?
    /// The length of the whole; nil if the server did not announce it.
    public let countOfBytesExpectedToReceive: Int64?
    let validator: StrongValidator
    /// What has sent the content; nil if that is not known.
    let source: ContentSource?
    /// The fields of the request that select the content, and are not secret.
    let fields: HeaderFields

    /// Decodes the value of `data`.
    public init(_ data: Data) throws(ResumeDataError) { self = try ResumeDataCodec.read(data) }

    /// Reads the resume data that a download to `target` has left (``DownloadSettings/isResumable``), even if its
    /// process was killed.
    public init(besideTarget target: URL) throws(ResumeDataError) {
        let names = PartialFilePaths(target: FilePath.resolvingFolder(of: target.path(percentEncoded: false)))
        self = try ResumeDataCodec.read(at: names.notes)
        guard partialFile.path(percentEncoded: false) == names.file else {
            throw .suspiciousPath(partialFile.path(percentEncoded: false))
        }
    }

    /// The target, in the current folder, of an earlier download of the URL that has left resume data; nil if there is
    /// none.
    package static func target(leftHereFrom url: URL) -> URL? {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: ".")) ?? []
        for name in names.sorted() {
            guard let targetName = PartialFilePaths.target(ofNotes: name) else { continue }
            let target = URL(target: targetName)
            if let data = try? ResumeData(besideTarget: target), data.isOf(url) { return target }
        }
        return nil
    }

    /// Without a file yet. Nil if the response to `request` cannot be resumed: it has no strong validator, or is coded,
    /// or the request asks for anything but the plain resource.
    init?(_ request: URLRequest, _ response: HTTPURLResponse, countOfBytesExpectedToReceive: Int64?) {
        guard request.method == "GET", request.body == nil, !response.isContentDecoded,
            AppliedCodings(of: response.head).areIdentity,
            let validator = StrongValidator(of: response.head),
            let url = request.url.flatMap(Self.withoutUserinfo)
        else { return nil }
        self.init(
            url: url, partialFile: URL(filePath: "/", directoryHint: .isDirectory), countOfBytesReceived: nil,
            countOfBytesExpectedToReceive: countOfBytesExpectedToReceive, validator: validator,
            source: ContentSource(response.url), fields: Self.kept(request))
    }

    init(
        url: URL, partialFile: URL, countOfBytesReceived: Int64?, countOfBytesExpectedToReceive: Int64?,
        validator: StrongValidator, source: ContentSource?, fields: HeaderFields
    ) {
        self.url = url
        self.partialFile = partialFile
        self.countOfBytesReceived = countOfBytesReceived
        self.countOfBytesExpectedToReceive = countOfBytesExpectedToReceive
        self.validator = validator
        self.source = source
        self.fields = fields
    }

    /// The encoded form, for ``Session/downloadTask(withResumeData:request:delegate:)``, and for storing.
    public var data: Data { ResumeDataCodec.written(self) }

    /// Removes the partial file and its resume data, for a download that will not be resumed.
    public func removePartialFile() { Self.removePartialFile(at: partialFile.path(percentEncoded: false)) }

    /// Except one that another download has locked.
    static func removePartialFile(at path: String) {
        guard let file = try? OutputFile.openOwned(path), (try? file.lock()) == true else { return }
        file.remove()
        OutputFile.remove(PartialFilePaths.notes(beside: path))
    }

    /// The same with a file of which this number of bytes counts; nil for all.
    func kept(at path: String, _ length: Int64?) -> ResumeData {
        ResumeData(
            url: url, partialFile: URL(filePath: path, directoryHint: .notDirectory), countOfBytesReceived: length,
            countOfBytesExpectedToReceive: countOfBytesExpectedToReceive, validator: validator,
            source: source, fields: fields)
    }

    /// Whether `url` is the download's, ignoring userinfo and fragment.
    public func isOf(_ url: URL) -> Bool { Self.withoutUserinfo(url) == self.url }

    /// The request to send.
    var request: URLRequest {
        var request = URLRequest(url: url)
        request.headers = fields
        return request
    }

    static func withoutUserinfo(_ url: URL) -> URL? {
        guard var components = URLComponents(url: url, resolvingAgainstBaseURL: true) else { return nil }
        (components.user, components.password, components.fragment) = (nil, nil, nil)
        return components.url
    }

    /// Any other field may be a secret that was not marked as one.
    private static let keptFields = ["accept", "accept-language", "user-agent"]

    static func isKept(_ name: String) -> Bool { keptFields.contains(name.lowercased()) }

    private static func kept(_ request: URLRequest) -> HeaderFields {
        HeaderFields(request.headers.filter { isKept($0.name) && !request.isSensitive(fieldNamed: $0.name) })
    }
}
