// SPDX-License-Identifier: Apache-2.0

extension OptionDescription {
    /// What the value of an option is, for completions and for errors. The name of the value in the help says it.
    enum ValueKind: Equatable {
        case file, folder, number
        /// One of these, or such as these.
        case words([String])
        case other

        init(name: String) {
            self =
                switch name {
                case "folder": .folder
                case "path": .file
                case "number", "seconds": .number
                case "method": .words(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
                case "scheme": .words(["http", "https"])
                case "schemes": .words(["http", "https", "=https"])
                case "version": .words(["1.2", "1.3", "default"])
                case "reach": .words(["public", "machine", "none"])
                case "rules": .words(["bare-lf", "chunked-http10"])
                case _ where name.hasPrefix("file") || name.hasSuffix("or file"): .file
                case _ where name.contains("|"): .words(name.split(separator: "|").map(String.init))
                default: .other
                }
        }
    }

    /// Nil for a flag.
    var valueKind: ValueKind? { value.map(ValueKind.init(name:)) }
}
