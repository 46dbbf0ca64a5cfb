// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import Tern

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
            case .text(let text) where type == nil: form.append(text, name: name)
            case .text(let text): try form.append(Data(text.utf8), name: name, fileName: nil, type: type)
            case .file(let path):
                let fileName = fileName ?? path.split(separator: "/").last.map(String.init) ?? path
                let type = type ?? Self.type(fileName, path)
                if let source = try Self.source(path) {
                    try form.append(source, length: nil, name: name, fileName: fileName, type: type)
                } else {
                    try form.append(file: path, name: name, fileName: fileName, type: type)
                }
            case .textOfFile(let path):
                if let source = try Self.source(path) {
                    try form.append(source, length: nil, name: name, type: type)
                } else {
                    try form.append(contentsOf: path, name: name, type: type)
                }
            }
        } catch let error as MultipartFormError {
            throw ValidationError("-F: \(error)")
        }
    }

    /// By the given name, or else by the file's own.
    private static func type(_ names: String...) -> String {
        let types = names.map(MediaTypes.type(ofFile:))
        return types.first { $0 != MediaTypes.type(ofFile: "") } ?? MediaTypes.type(ofFile: "")
    }

    /// The length of a source that can be read once; nil for a file.
    private static func source(_ path: String) throws -> (any BodySource)? {
        guard case .once(let source, _) = try Upload(path: path, option: "-F").content else { return nil }
        return source
    }
}
