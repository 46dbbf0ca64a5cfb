// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import Tern
import TernEngine
import TernFiles

/// Creates requests from the command line. Reads the named files once, and reports what cannot be sent.
struct FetchPlanner {
    /// As in curl, a body of up to this size is sent without an expectation.
    private static let unannouncedLength = 1 << 20

    let options: FetchOptions
    let choice: MethodChoice
    /// Without the fields that `-H` removes.
    private(set) var configuration: SessionConfiguration

    init(options: FetchOptions, choice: MethodChoice, configuration: SessionConfiguration) {
        self.options = options
        self.choice = choice
        self.configuration = configuration
    }

    mutating func plans(_ targets: [RequestedURL]) throws -> [PlannedFetch] {
        let content = options.content
        if !content.uploads.isEmpty, content.uploads.count != targets.count {
            throw ValidationError("-T: give as many files as URLs")
        }
        let paths = try options.output.paths(for: targets, typed: options.urls)
        let given = try options.fields.given()
        let isChunked = content.hasBody && given.contains(where: \.asksForChunks)
        let fields = isChunked ? given.filter { !$0.asksForChunks } : given
        if isChunked, given.contains(where: { $0.name.lowercased() == "content-length" }) {
            throw ValidationError(
                "-H \"Transfer-Encoding: chunked\" and -H \"Content-Length\" frame the body in two ways: give one of them"
            )
        }
        let body = content.parts.isEmpty ? nil : try DataPart.joined(content.parts)
        let form = content.form.isEmpty ? nil : try FormOption.form(content.form)
        return try targets.enumerated().map { index, target in
            var target = target
            if let body, content.isQuery {
                target = try target.appending(query: RequestedURL.escaped(ByteText.text(of: body)))
            }
            let upload = index < content.uploads.count ? content.uploads[index] : nil
            if let upload, upload != "-" { target = try target.appending(segment: Self.segment(of: upload)) }
            var request = target.request
            request.setMethod(asTyped: choice.method)
            for field in fields { try field.apply(to: &request, &configuration.httpAdditionalHeaders) }
            if let body, !content.isQuery { send(body, in: &request, isChunked: isChunked, without: fields) }
            if let upload {
                let upload = try Upload(path: upload, option: "-T", isChunked: isChunked)
                try send(upload, in: &request, without: fields)
            }
            if let form { try send(form, in: &request, of: targets.count, isChunked: isChunked, without: fields) }
            options.fields.credentials.apply(to: &request)
            if let cookies = options.cookies.field { try send(cookies: cookies, in: &request) }
            if let range = options.range { try ask(for: range, in: &request) }
            request.timeouts = configuration.timeouts
            request.sensitiveFields = SensitiveFields(options.fields.sensitiveFields)
            try request.checkEncodable(configuration)
            return PlannedFetch(index: index, target: target, request: request, path: paths[index])
        }
    }

    private func ask(for range: String, in request: inout Tern.URLRequest) throws {
        guard request.value(forHTTPHeaderField: "Range") == nil else {
            throw ValidationError("-r and -H \"Range\" request two parts: give one of them")
        }
        request.headers.append(HeaderField(name: "Range", bytes: ByteText.bytes(of: "bytes=\(range)")))
    }

    private func send(cookies: String, in request: inout Tern.URLRequest) throws {
        guard request.value(forHTTPHeaderField: "Cookie") == nil else {
            throw ValidationError("-b and -H \"Cookie\" are two fields of cookies: give one of them")
        }
        request.headers.append(HeaderField(name: "Cookie", bytes: ByteText.bytes(of: cookies)))
    }

    private func send(
        _ body: Data, in request: inout Tern.URLRequest, isChunked: Bool, without fields: [HeaderOption]
    ) {
        request.body =
            isChunked
            ? .sequence {
                AsyncStream {
                    $0.yield(body); $0.finish()
                }
            } : .data(body)
        expectContinue(in: &request, length: body.count, without: fields)
        if fields.contains(where: { $0.name.lowercased() == "content-type" }) { return }
        request.addValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
    }

    private func send(_ upload: Upload, in request: inout Tern.URLRequest, without fields: [HeaderOption]) throws {
        if upload.length == nil, options.transfer.retryRule.count > 0 {
            throw ValidationError(
                "-T \(upload.path): it can be read only once, and --retry would have to read it again")
        }
        request.body = upload.content
        expectContinue(in: &request, length: upload.length, without: fields)
    }

    private func send(
        _ form: MultipartForm, in request: inout Tern.URLRequest, of count: Int, isChunked: Bool,
        without fields: [HeaderOption]
    ) throws {
        if !form.isReplayable, count > 1 || options.transfer.retryRule.count > 0 {
            throw ValidationError("-F: standard input and pipes can be read only once: give one URL, and no --retry")
        }
        if fields.contains(where: { $0.name.lowercased() == "content-type" }) {
            throw ValidationError("-F and -H Content-Type are two types: a form sets its own, with its boundary")
        }
        request.setForm(form)
        if isChunked {
            request.body = form.isReplayable ? .stream { form.makeSource() } : .once(form.makeSource())
        }
        expectContinue(in: &request, length: form.contentLength, without: fields)
    }

    /// Adds an expectation to a large body (RFC 9110 §10.1.1).
    private func expectContinue(in request: inout Tern.URLRequest, length: Int?, without fields: [HeaderOption]) {
        if let length, length <= Self.unannouncedLength { return }
        if fields.contains(where: { $0.name.lowercased() == "expect" }) { return }
        request.addValue("100-continue", forHTTPHeaderField: "Expect")
    }

    private static func segment(of file: String) -> String {
        PercentEncoding.component(ByteText.bytes(of: file.split(separator: "/").last ?? ""))
    }
}
