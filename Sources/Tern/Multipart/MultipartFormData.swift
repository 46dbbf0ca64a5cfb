// SPDX-License-Identifier: Apache-2.0
import Dispatch
public import Foundation
import TernEngine
import TernFoundation

/// A form of several parts, `multipart/form-data`, as in Alamofire 4: encoded as a whole, into memory or into a file.
///
/// Errors of parts are kept, and the first one is thrown when the form is encoded. A ``TernEngine/MultipartForm`` needs
/// no encoding: its parts are read while it is sent.
///
/// Names may be any text: characters that could end a line or a quoted string are percent-encoded, as in browsers.
open class MultipartFormData {
    private var form = MultipartForm(boundaryPrefix: "alamofire.boundary.")
    private var failure: AFError.MultipartEncodingFailureReason?

    /// Creates a form without parts.
    public init() {}

    /// The value of the request's Content-Type field.
    open var contentType: String { form.contentType }

    /// The length of the parts without boundaries and header fields, in bytes.
    public var contentLength: UInt64 { form.partsLength.map(UInt64.init(clamping:)) ?? .max }

    /// The boundary between the parts.
    public var boundary: String { form.boundary }

    // Parts

    /// Appends a field of the form.
    open func append(_ data: Data, withName name: String) {
        form.append(data, name: name)
    }

    /// Appends a field of the form with a media type.
    open func append(_ data: Data, withName name: String, mimeType: String) {
        attempt { form throws(MultipartFormError) in try form.append(data, name: name, fileName: nil, type: mimeType) }
    }

    /// Appends data as a file.
    open func append(_ data: Data, withName name: String, fileName: String, mimeType: String) {
        attempt { form throws(MultipartFormError) in
            try form.append(data, name: name, fileName: fileName, type: mimeType)
        }
    }

    /// Appends a file under its own name, with the media type of its extension, which is required.
    open func append(_ fileURL: URL, withName name: String) {
        let (fileName, pathExtension) = (fileURL.lastPathComponent, fileURL.pathExtension)
        if fileName.isEmpty || pathExtension.isEmpty { return fail(.bodyPartFilenameInvalid(in: fileURL)) }
        append(
            fileURL, withName: name, fileName: fileName, mimeType: MediaTypes.type(ofExtension: pathExtension))
    }

    /// Appends a file.
    open func append(_ fileURL: URL, withName name: String, fileName: String, mimeType: String) {
        if !fileURL.isFileURL { return fail(.bodyPartURLInvalid(url: fileURL)) }
        attempt(with: fileURL) { form throws(MultipartFormError) in
            try form.append(file: fileURL.path, name: name, fileName: fileName, type: mimeType)
        }
    }

    /// Appends the bytes of a stream as a file. The stream must have the given length, and can be encoded once.
    open func append(
        _ stream: sending InputStream, withLength length: UInt64, name: String, fileName: String, mimeType: String
    ) {
        let source = InputStreamContent(stream)
        guard let length = Int(exactly: length) else { return fail(.inputStreamReadFailed(error: Self.tooLarge)) }
        attempt { form throws(MultipartFormError) in
            try form.append(source, length: length, name: name, fileName: fileName, type: mimeType)
        }
    }

    /// Appends the content of a stream, with these header fields in alphabetical order. The stream must have the given
    /// length, and can be encoded once.
    open func append(_ stream: sending InputStream, withLength length: UInt64, headers: HTTPHeaders) {
        let source = InputStreamContent(stream)
        guard let length = Int(exactly: length) else { return fail(.inputStreamReadFailed(error: Self.tooLarge)) }
        let fields = headers.sorted { $0.key < $1.key }.map { HeaderField(name: $0.key, value: $0.value) }
        attempt { form throws(MultipartFormError) in
            try form.append(source, length: length, fields: HeaderFields(fields))
        }
    }

    // Encoding

    /// The whole form in memory. Blocks on its files and streams.
    open func encode() throws -> Data {
        var encoded = Data()
        encoded.reserveCapacity(min(form.contentLength ?? 0, 16 << 20))
        try read { encoded.append($0) }
        return encoded
    }

    /// Writes the form to a new file. Blocks on its files and streams; the file of a form that cannot be encoded
    /// completely is removed.
    open func writeEncodedData(to fileURL: URL) throws {
        if let failure { throw AFError.multipartEncodingFailed(reason: failure) }
        let file = try FormOutput(fileURL)
        do {
            try read { try file.write($0) }
            try file.close()
        } catch {
            file.remove()
            throw error
        }
    }

    private func read(_ take: (Data) throws -> Void) throws {
        if let failure { throw AFError.multipartEncodingFailed(reason: failure) }
        try SourceReading.read(form.makeSource(), take)
    }

    // Errors

    private static var tooLarge: MultipartFormError { .tooLarge }

    private func fail(_ reason: AFError.MultipartEncodingFailureReason) {
        if failure == nil { failure = reason }
    }

    private func attempt(
        with fileURL: URL? = nil, _ append: (inout MultipartForm) throws(MultipartFormError) -> Void
    ) {
        do throws(MultipartFormError) {
            try append(&form)
        } catch {
            fail(.init(error, fileURL))
        }
    }
}

extension AFError.MultipartEncodingFailureReason {
    /// - Parameter fileURL: the part's, if it is a file.
    fileprivate init(_ error: MultipartFormError, _ fileURL: URL?) {
        switch (error, fileURL) {
        case (.unreadable(let path, let system), let fileURL?):
            self =
                FileManager.default.fileExists(atPath: path)
                ? .bodyPartInputStreamCreationFailed(for: fileURL)
                : .bodyPartFileNotReachableWithError(atURL: fileURL, error: system)
        case (.noRegularFile(let path), let fileURL?):
            var isDirectory: ObjCBool = false
            _ = unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory)
            self =
                isDirectory.boolValue
                ? .bodyPartFileIsDirectory(at: fileURL) : .bodyPartFileSizeNotAvailable(at: fileURL)
        case (let error, _): self = .inputStreamReadFailed(error: error)
        }
    }
}

/// The file that a form is written to. It did not exist before.
struct FormOutput {
    private let fileURL: URL
    private let handle: FileHandle

    init(_ fileURL: URL) throws {
        if FileManager.default.fileExists(atPath: fileURL.path) {
            throw Self.failure(.outputStreamFileAlreadyExists(at: fileURL))
        }
        if !fileURL.isFileURL { throw Self.failure(.outputStreamURLInvalid(url: fileURL)) }
        // A file that was created meanwhile stays. A new one has the permissions that umask(2) leaves. The path is valid for
        // the call, and the handle owns the descriptor.
        let descriptor = unsafe open(fileURL.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        if descriptor < 0, errno == EEXIST { throw Self.failure(.outputStreamFileAlreadyExists(at: fileURL)) }
        if descriptor < 0 { throw Self.failure(.outputStreamCreationFailed(for: fileURL)) }
        self.fileURL = fileURL
        handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    func write(_ bytes: Data) throws {
        do { try handle.write(contentsOf: bytes) } catch { throw Self.failure(.outputStreamWriteFailed(error: error)) }
    }

    func close() throws {
        do { try handle.close() } catch { throw Self.failure(.outputStreamWriteFailed(error: error)) }
    }

    func remove() {
        try? handle.close()
        try? FileManager.default.removeItem(at: fileURL)
    }

    private static func failure(_ reason: AFError.MultipartEncodingFailureReason) -> AFError {
        .multipartEncodingFailed(reason: reason)
    }
}

/// Reads a source from beginning to end on the calling thread, which blocks while the source has nothing ready.
enum SourceReading {
    private static let pieceSize = 64 * 1024

    /// - Throws: the error of `take`, and `AFError` if the source fails.
    static func read(_ source: any BodySource, _ take: (Data) throws -> Void) throws {
        defer { source.finish() }
        let isReady = DispatchSemaphore(value: 0)
        while true {
            switch source.next(atMost: pieceSize, wake: { isReady.signal() }) {
            case .bytes(let bytes): try take(bytes)
            case .later: isReady.wait()
            case .end: return
            case .failed(let error): throw AFError.multipartEncodingFailed(reason: .inputStreamReadFailed(error: error))
            }
        }
    }
}
