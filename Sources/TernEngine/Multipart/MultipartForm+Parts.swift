// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials
public import TernHTTP1

extension MultipartForm {
    /// Appends a field of the form with this text.
    public mutating func append(_ text: String, name: String) {
        append(Data(text.utf8), name: name)
    }

    /// Appends a field of the form with these bytes.
    public mutating func append(_ data: Data, name: String) {
        append([FormField.disposition(name: name, fileName: nil)], .data(data))
    }

    /// Appends these bytes as a file.
    ///
    /// - Parameters:
    ///   - data: the bytes.
    ///   - name: the name of the form's field.
    ///   - fileName: the file name sent to the server; nil for none.
    ///   - type: the media type; nil derives it from the file name's extension.
    public mutating func append(
        _ data: Data, name: String, fileName: String?, type: String? = nil
    ) throws(MultipartFormError) {
        try append(fields(name, fileName, type ?? fileName.map(MediaTypes.type(ofFile:))), checked: .data(data))
    }

    /// Appends the file at `path`, read when the form is sent.
    ///
    /// - Parameters:
    ///   - path: the path of the file.
    ///   - name: the name of the form's field.
    ///   - fileName: the file name sent to the server; nil uses the last component of the path.
    ///   - type: the media type; nil derives it from the file name's extension.
    public mutating func append(
        file path: String, name: String, fileName: String? = nil, type: String? = nil
    ) throws(MultipartFormError) {
        let file = try FormFile(path: path)
        let fileName = fileName ?? path.split(separator: "/").last.map(String.init) ?? path
        try append(fields(name, fileName, type ?? MediaTypes.type(ofFile: fileName)), checked: .file(file))
    }

    /// Appends the contents of the file at `path` as a field without a file name, read when the form is sent.
    public mutating func append(
        contentsOf path: String, name: String, type: String? = nil
    ) throws(MultipartFormError) {
        let file = try FormFile(path: path)
        try append(fields(name, nil, type), checked: .file(file))
    }

    /// Appends the content of a source, which can be read once: the form can then be sent only once.
    ///
    /// - Parameters:
    ///   - source: read when the form is sent.
    ///   - length: its exact length in bytes; nil sends the form in chunks.
    ///   - name: the name of the form's field.
    ///   - fileName: the file name sent to the server; nil for none.
    ///   - type: the media type; nil derives it from the file name's extension.
    public mutating func append(
        _ source: any BodySource, length: Int?, name: String, fileName: String? = nil, type: String? = nil
    ) throws(MultipartFormError) {
        let fields = fields(name, fileName, type ?? fileName.map(MediaTypes.type(ofFile:)))
        try append(source, length: length, fields: fields)
    }

    /// Appends the content of a source, which can be read once, with exactly these header fields.
    public mutating func append(
        _ source: any BodySource, length: Int?, fields: HeaderFields
    ) throws(MultipartFormError) {
        if let length, length < 0 { throw .invalidLength(length) }
        try append(fields, checked: .source(SingleUseSource(source), length: length))
    }

    /// The content of a part of a form.
    package enum Content {
        case data(Data)
        /// The file at a path, read when the form is sent.
        case file(path: String)
        /// A source that can be read once.
        case source(any BodySource)
    }

    /// Appends a part whose name, file name and media type need not be UTF-8.
    package mutating func append(
        _ content: Content, name: [UInt8], fileName: [UInt8]? = nil, type: [UInt8]? = nil
    ) throws(MultipartFormError) {
        var fields = HeaderFields([FormField.disposition(name: name, fileName: fileName)])
        if let type { fields.append(HeaderField(name: "Content-Type", bytes: type)) }
        switch content {
        case .data(let data): try append(fields, checked: .data(data))
        case .file(let path): try append(fields, checked: .file(FormFile(path: path)))
        case .source(let source): try append(source, length: nil, fields: fields)
        }
    }

    private mutating func append(_ fields: HeaderFields, checked content: FormSegment) throws(MultipartFormError) {
        if let field = fields.first(where: { !FormField.isValid($0) }) { throw .invalidField(name: field.name) }
        let wasKnown = contentLength != nil
        var longer = self
        longer.append(Array(fields), content)
        if wasKnown, content.length != nil, longer.contentLength == nil { throw .tooLarge }
        self = longer
    }

    private func fields(_ name: String, _ fileName: String?, _ type: String?) -> HeaderFields {
        var fields = HeaderFields([FormField.disposition(name: name, fileName: fileName)])
        if let type { fields.append("Content-Type", type) }
        return fields
    }
}
