// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernEngine
import TernFiles

/// Creates the requests of one group of options. Reads the named files once, and reports what no URL could change before
/// anything is sent.
struct FetchPlanner: Sendable {
    /// As in curl, a body of up to this size is sent without an expectation.
    private static let unannouncedLength = 1 << 20

    let options: FetchOptions
    private let choice: MethodChoice
    let session: Session
    private let builder: RequestBuilder
    /// The condition of `-z`; nil for none.
    let timeCondition: TimeCondition?
    /// The value of `If-None-Match`; nil for none.
    private let entityTag: String?
    private let body: Data?
    private let form: MultipartForm?
    private let hasSeveralURLs: Bool
    private let isSilent: Bool

    /// - Parameters:
    ///   - command: the method of the command; nil leaves it to the options.
    ///   - isSilent: whether lines of files that are left out are not told.
    init(options: FetchOptions, command: String?, isSilent: Bool, _ sessions: SessionRegistry) throws {
        (self.options, self.isSilent) = (options, isSilent)
        choice = try MethodChoice(command: command, options.content)
        let content = options.content
        options.tellSpareFiles(isSilent: isSilent)
        hasSeveralURLs = Array(options.targets.prefix(2)).count > 1
        try options.conditions.check(hasSeveralURLs: hasSeveralURLs)
        timeCondition = options.conditions.timeCondition(isSilent: isSilent)
        entityTag = try options.conditions.entityTag(isSilent: isSilent)
        builder = try RequestBuilder(
            options.fields, options.trust, options.transfer, hasBody: content.hasBody, range: options.range,
            cookies: options.cookies.field)
        session = try sessions.session(for: builder.session)
        body = content.parts.isEmpty ? nil : try DataPart.joined(content.parts)
        form = content.form.isEmpty ? nil : try FormOption.form(content.form)
    }

    /// - Parameters:
    ///   - index: the position among the transfers of the run.
    ///   - earlierURLs: the number of URLs in the groups before.
    func plan(_ typed: TypedTarget, index: Int, behind earlierURLs: Int) throws -> PlannedFetch {
        let content = options.content
        let path = try options.file.map { try $0.writtenThrough(options.transfer) } ?? options.output.path(for: typed)
        try options.conditions.check(path)
        var target = typed.url
        for part in options.queries {
            let query = RequestedURL.escaped(ByteText.text(of: try part.bytes()))
            if !query.isEmpty { target = try target.appending(query: query) }
        }
        if let body, content.isQuery, !body.isEmpty {
            target = try target.appending(query: RequestedURL.escaped(ByteText.text(of: body)))
        }
        let upload = typed.upload
        let method = choice.method(hasUpload: upload != nil)
        if let upload, upload != "-" { target = try target.appending(segment: Self.segment(of: upload)) }
        let offset = try options.output.offset(in: path)
        var request = try builder.request(for: target, method: method, in: session.configuration) { request in
            if let offset { try requestRest(from: offset, &request) }
            addConditions(to: &request)
            if let aim = options.requestTarget { try setTarget(aim, &request) }
            if let body, !content.isQuery { send(body, in: &request) }
            if !content.json.isEmpty { announceJSON(in: &request) }
            if let upload {
                try send(Upload(path: upload, option: "-T", isChunked: builder.isChunked), in: &request)
            }
            if let form { try send(form, in: &request) }
        }
        request.retryPolicy = options.retryPolicy
        if !options.cookies.keepsCookies { request.httpShouldHandleCookies = false }
        // A head has no bytes to continue with.
        return PlannedFetch(
            index: index, place: earlierURLs + typed.place, target: target, request: request, path: path,
            fileRules: options.output.fileRules(for: typed.place, isSilent: isSilent),
            offset: method == "HEAD" ? nil : offset)
    }

    private func requestRest(from offset: Int64, _ request: inout URLRequest) throws {
        if builder.gives("range") { throw UsageError("-C and -H \"Range\" request two parts: give one of them") }
        request.addValue("bytes=\(offset)-", forHTTPHeaderField: "Range")
    }

    /// As in curl, a field of `-H` takes the place of a date, and stands beside a tag.
    private func addConditions(to request: inout URLRequest) {
        if let timeCondition, !builder.gives(timeCondition.fieldName.lowercased()) {
            request.addValue(timeCondition.date, forHTTPHeaderField: timeCondition.fieldName)
        }
        if let entityTag {
            request.headers.append(HeaderField(name: "If-None-Match", bytes: ByteText.bytes(of: entityTag)))
        }
    }

    private func setTarget(_ target: String, _ request: inout URLRequest) throws {
        do throws(InvalidRequest) {
            try request.setTarget(target)
        } catch {
            throw UsageError("--request-target: \(error)")
        }
    }

    private func send(_ body: Data, in request: inout URLRequest) {
        request.body =
            builder.isChunked
            ? .sequence {
                AsyncStream {
                    $0.yield(body); $0.finish()
                }
            } : .data(body)
        expectContinue(in: &request, length: body.count)
        if builder.gives("content-type") || !options.content.json.isEmpty { return }
        request.addValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
    }

    /// As in curl, also with `-G`.
    private func announceJSON(in request: inout URLRequest) {
        for name in ["Content-Type", "Accept"] where !builder.gives(name.lowercased()) {
            request.addValue("application/json", forHTTPHeaderField: name)
        }
    }

    private func send(_ upload: Upload, in request: inout URLRequest) throws {
        if upload.length == nil, options.transfer.retries > 0 {
            throw UsageError(
                "-T \(upload.path): it can be read only once, and --retry would have to read it again")
        }
        request.body = upload.content
        expectContinue(in: &request, length: upload.length ?? request.announcedContentLength)
    }

    private func send(_ form: MultipartForm, in request: inout URLRequest) throws {
        if !form.isReplayable, hasSeveralURLs || options.transfer.retries > 0 {
            throw UsageError("-F: standard input and pipes can be read only once: give one URL, and no --retry")
        }
        let type = request.value(forHTTPHeaderField: "Content-Type")
        request.setForm(form)
        if let type, let boundary = form.contentType.firstRange(of: "; boundary=") {
            // As in curl: what documentation of an API shows is a type without its boundary. One that it has is left out,
            // where curl sends two: nothing else would keep it from occurring in a part.
            request.setValue(
                Self.withoutBoundary(type) + form.contentType[boundary.lowerBound...],
                forHTTPHeaderField: "Content-Type")
        }
        if builder.isChunked {
            request.body = form.isReplayable ? .stream { form.makeSource() } : .once(form.makeSource())
        }
        expectContinue(in: &request, length: form.contentLength)
    }

    /// A media type without its `boundary` parameters. Semicolons within quotes separate nothing (RFC 9110 §5.6.6).
    static func withoutBoundary(_ type: String) -> String {
        var (isQuoted, isEscaped) = (false, false)
        let parameters = type.split(omittingEmptySubsequences: false) { character in
            if !isEscaped, character == "\"" { isQuoted.toggle() }
            isEscaped = isQuoted && !isEscaped && character == "\\"
            return character == ";" && !isQuoted
        }
        return parameters.filter { parameter in
            let name = parameter.prefix { $0 != "=" }.filter { $0 != " " && $0 != "\t" }
            return name.lowercased() != "boundary"
        }.joined(separator: ";")
    }

    /// Adds an expectation to a large body (RFC 9110 §10.1.1).
    private func expectContinue(in request: inout URLRequest, length: Int?) {
        if let length, length <= Self.unannouncedLength { return }
        if builder.gives("expect") { return }
        request.addValue("100-continue", forHTTPHeaderField: "Expect")
    }

    private static func segment(of file: String) -> String {
        PercentEncoding.component(ByteText.bytes(of: file.split(separator: "/").last ?? ""))
    }
}
