// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials
import TernHTTP1
import TernFiles

/// What a download that has broken off can be resumed with: where from, which state of the resource, and where its
/// first part is.
///
/// Written down as JSON, it outlives the process. It is believed only after it was checked: a path in it has to be one
/// that a download would have chosen. It holds no credentials, neither of the URL nor of header fields, but it does
/// hold the URL's query.
public struct ResumeData: Sendable, Hashable {
    /// The URL that was asked first, before redirects; without userinfo.
    public let url: URL
    /// The first part of the file.
    public let partialFile: URL
    /// How many bytes the first part has; nil if as many as the partial file.
    public let receivedLength: Int64?
    /// How many the whole has; nil where the server did not say.
    public let totalLength: Int64?
    let validator: StrongValidator
    /// Of the request, as far as they say what is wanted, and are no secrets.
    let fields: HeaderFields

    /// Reads what `data` gave.
    public init(_ data: Data) throws(ResumeDataError) { self = try ResumeNotes.read(data) }

    /// Reads the note that a download to `target` has left (``DownloadSettings/isResumable``), perhaps by being killed.
    public init(besideTarget target: URL) throws(ResumeDataError) {
        let names = PartialNames(target: FilePath.resolvingFolder(of: target.path(percentEncoded: false)))
        self = try ResumeNotes.read(at: names.notes)
        guard partialFile.path(percentEncoded: false) == names.file else {
            throw .suspiciousPath(partialFile.path(percentEncoded: false))
        }
    }

    /// Where, in the current folder, an earlier download of the URL was to go that has left a note; nil if there is
    /// none.
    package static func target(leftHereFrom url: URL) -> URL? {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: ".")) ?? []
        for name in names.sorted() {
            guard let targetName = PartialNames.target(ofNotes: name) else { continue }
            let target = URL(target: targetName)
            if let data = try? ResumeData(besideTarget: target), data.isOf(url) { return target }
        }
        return nil
    }

    /// Of a file that is not known yet. Nil if the response to `request` cannot be continued: it has no strong
    /// validator, or is coded, or the request was none for what is simply there.
    init?(_ request: URLRequest, _ response: HTTPURLResponse, totalLength: Int64?) {
        guard request.method == "GET", request.content == nil, !response.isContentDecoded,
            ContentCoding.isIdentity(response.head),
            let validator = StrongValidator(of: response.head),
            let url = request.url.flatMap(Self.withoutUserinfo)
        else { return nil }
        self.init(
            url: url, partialFile: URL(filePath: "/", directoryHint: .isDirectory), receivedLength: nil,
            totalLength: totalLength, validator: validator, fields: Self.kept(request))
    }

    init(
        url: URL, partialFile: URL, receivedLength: Int64?, totalLength: Int64?, validator: StrongValidator,
        fields: HeaderFields
    ) {
        self.url = url
        self.partialFile = partialFile
        self.receivedLength = receivedLength
        self.totalLength = totalLength
        self.validator = validator
        self.fields = fields
    }

    /// For ``Session/downloadTask(withResumeData:request:delegate:)``, and to be written down.
    public var data: Data { ResumeNotes.written(self) }

    /// Removes the partial file and the note beside it, of a download that is not to be resumed.
    public func removePartialFile() { Self.removePartialFile(at: partialFile.path(percentEncoded: false)) }

    /// Not one that another download has.
    static func removePartialFile(at path: String) {
        guard let file = try? OutputFile.openOwned(path), (try? file.lock()) == true else { return }
        file.remove()
        OutputFile.remove(PartialNames.notes(beside: path))
    }

    /// The same, in a file of which this number of bytes counts; nil for all.
    func kept(at path: String, _ length: Int64?) -> ResumeData {
        ResumeData(
            url: url, partialFile: URL(filePath: path, directoryHint: .notDirectory), receivedLength: length,
            totalLength: totalLength, validator: validator,
            fields: fields)
    }

    /// Whether that is the URL it is of, but for userinfo and fragment.
    public func isOf(_ url: URL) -> Bool { Self.withoutUserinfo(url) == self.url }

    /// What is to be asked.
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
