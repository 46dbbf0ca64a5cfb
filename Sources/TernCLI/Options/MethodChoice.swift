// SPDX-License-Identifier: Apache-2.0
import ArgumentParser

/// The method to send, by curl's rules, if command and options agree on it.
struct MethodChoice {
    let method: String
    /// HEAD was requested in order to see the head.
    let showsHead: Bool

    /// - Parameter command: the method of the command; nil leaves it to the options.
    init(command: String?, _ options: ContentOptions) throws {
        let hasBody = options.hasBody
        if let command {
            let name = "tern " + command.lowercased()
            if options.method != nil {
                throw ValidationError("\(name) sends \(command): -X is for \"tern request\"")
            }
            if options.isHead, command != "HEAD" {
                throw ValidationError("\(name) sends \(command), and -I sends HEAD: use \"tern head\"")
            }
            if hasBody, command == "GET" || command == "HEAD" {
                throw ValidationError(
                    "\(name) sends no body: \"tern post\", \"tern put\" and \"tern request\" do, and -G puts -d into the URL"
                )
            }
        }
        if options.isHead, options.method != nil { throw ValidationError("-I sends HEAD: give -I or -X, not both") }
        if options.isHead, hasBody {
            throw ValidationError("-I sends no body: omit it, or give -G to put -d into the URL")
        }
        if options.method?.isEmpty == true { throw ValidationError("-X: the method is empty") }
        showsHead = options.isHead || command == "HEAD"
        method =
            options.method ?? command
            ?? (options.isHead ? "HEAD" : !hasBody ? "GET" : options.uploads.isEmpty ? "POST" : "PUT")
    }
}
