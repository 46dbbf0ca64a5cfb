// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import Tern
import TernEngine

/// What all commands that send requests are told, with curl's option names.
struct FetchOptions: ParsableArguments {
    static let discussion = """
        Options that have curl's names mean what they mean in curl. An answer with any status is a success unless -f or \
        --fail-with-body is given; exits 1 if there is no whole answer, 2 for wrong usage.
        """

    @Argument(help: ArgumentHelp("An http or https URL; several are asked one after another.", valueName: "url"))
    var urls: [String]

    @OptionGroup(title: "Method and body") var content: ContentOptions
    @OptionGroup(title: "Header fields") var fields: FieldOptions
    @OptionGroup(title: "Redirects, retries, limits") var course: CourseOptions
    @OptionGroup(title: "Output") var output: OutputOptions
    @OptionGroup(title: "Trust") var trust: TrustOptions

    func validate() throws {
        try InputFile.checkStandardInput(content.inputs + fields.inputs + output.inputs)
        if !fields.sensitiveFields.isEmpty, !output.isVerbose, !course.isFollowing {
            throw ValidationError(
                "--sensitive hides a field from -v, and with -L keeps it from other origins: there is neither")
        }
        if course.continueTimeout != nil, !content.hasBody {
            throw ValidationError("--expect100-timeout is about a body, and there is none")
        }
    }

    func targets() throws -> [RequestedURL] {
        let targets = try urls.map { try RequestedURL($0) }
        if let first = targets.first, !course.isFollowing, !targets.contains(where: \.isSecure) {
            try trust.check(first)
        }
        return targets
    }

    func configuration() throws -> SessionConfiguration {
        var configuration = try trust.configuration()
        configuration.decodesContent = fields.isCompressed
        try course.apply(to: &configuration)
        return configuration
    }
}
