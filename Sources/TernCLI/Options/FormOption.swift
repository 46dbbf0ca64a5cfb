// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import Tern
import TernFiles

/// The part of the form from one `-F` or `--form-string`.
struct FormOption: Sendable, Equatable {
    enum Content: Sendable, Equatable {
        case text(String)
        /// A file; `-` is standard input.
        case file(String)
        /// The contents of a file, as text; `-` is standard input.
        case textOfFile(String)
    }

    let name: String
    let content: Content
    var type: String?
    var fileName: String?
    let order = ArgumentOrder.next()

    /// `name=content`, `name=@file` or `name=<file`, optionally followed by `;type=` and `;filename=`.
    static func form(_ argument: String) throws -> FormOption { try FormOptionParser.option(argument) }

    /// `name=content`, unchanged.
    static func string(_ argument: String) throws -> FormOption {
        let (name, content) = try FormOptionParser.split(argument, "--form-string")
        return FormOption(name: String(name), content: .text(String(content)))
    }

    static func == (one: FormOption, other: FormOption) -> Bool {
        one.name == other.name && one.content == other.content && one.type == other.type
            && one.fileName == other.fileName
    }

    /// The file it reads.
    var file: String? {
        switch content {
        case .text: nil
        case .file(let path), .textOfFile(let path): path
        }
    }

    /// The options as one form, in the order they were given.
    static func form(_ options: [FormOption]) throws -> MultipartForm {
        var form = MultipartForm()
        for option in options.sorted(by: { $0.order < $1.order }) { try option.append(to: &form) }
        return form
    }

    private func append(to form: inout MultipartForm) throws {
        do {
            switch content {
            case .text(let text): try append(.data(Data(ByteText.bytes(of: text))), to: &form)
            case .file(let path):
                let fileName = fileName ?? path.split(separator: "/").last.map(String.init) ?? path
                try append(Self.content(path), to: &form, fileName, type ?? Self.type(fileName, path))
            case .textOfFile(let path): try append(Self.content(path), to: &form)
            }
        } catch let error as MultipartFormError {
            throw ValidationError("-F: \(error)")
        }
    }

    private func append(
        _ content: MultipartForm.Content, to form: inout MultipartForm, _ fileName: String? = nil, _ own: String? = nil
    ) throws(MultipartFormError) {
        try form.append(
            content, name: ByteText.bytes(of: name), fileName: fileName.map { ByteText.bytes(of: $0) },
            type: (own ?? type).map { ByteText.bytes(of: $0) })
    }

    /// By the given name, or else by the file's own.
    private static func type(_ names: String...) -> String {
        let types = names.map(MediaTypes.type(ofFile:))
        return types.first { $0 != MediaTypes.type(ofFile: "") } ?? MediaTypes.type(ofFile: "")
    }

    /// A file, or a source that can be read once.
    private static func content(_ path: String) throws -> MultipartForm.Content {
        guard case .once(let source, _) = try Upload(path: path, option: "-F").content else { return .file(path: path) }
        return .source(source)
    }
}
