// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernLibC
import TernEngine
import TernFiles

/// The conditions of requests (RFC 9110 §13), with curl's option names.
struct ConditionOptions: OptionGroup {
    static var table: OptionTable<Self> {
        OptionTable(
            .value(
                "-z", "--time-cond", as: "date or file",
                help: """
                    Request only what has changed since this date, or since this file did; with "-" before it, only what has \
                    not. What has not changed leaves the file of -o as it is.
                    """
            ) { $0.time = $1.text },
            .value(
                "--etag-save", as: "file",
                help:
                    "Write the response's ETag to this file, which is emptied if there is none; \"-\" is standard output."
            ) { $0.savedTag = $1.text },
            .value(
                "--etag-compare", as: "file",
                help:
                    "Request only what has another ETag than the one in this file; none is in a file that does not exist."
            ) { $0.comparedTag = $1.text })
    }

    var time: String?
    var savedTag: String?
    var comparedTag: String?

    /// The files it reads.
    var inputs: [String] { comparedTag.map { [$0] } ?? [] }

    func validate() throws {
        if savedTag?.isEmpty == true { throw UsageError("--etag-save: the file name is empty") }
    }

    /// The condition of `-z`; nil for none. As in curl, anything but a date or a file is reported and ignored.
    func timeCondition(isSilent: Bool) -> TimeCondition? {
        guard let time else { return nil }
        if let condition = TimeCondition(argument: time) { return condition }
        if !isSilent {
            StandardStreams.tell("tern: -z: \"\(time.prefix(200))\" is no date and no file: no condition is sent")
        }
        return nil
    }

    /// The value of `If-None-Match`; nil for none.
    func entityTag(isSilent: Bool) throws -> String? {
        guard let comparedTag else { return nil }
        do throws(InputError) {
            let content = try InputFile.contents(of: comparedTag)
            let tag = ByteText.text(of: content.filter { $0 != 0x0A && $0 != 0x0D && $0 != 0 })
            return tag.isEmpty ? "\"\"" : tag
        } catch {
            guard error.isMissingFile else { throw CommandFailure(.unreadable, "--etag-compare: \(error)") }
            if !isSilent { StandardStreams.tell("tern: --etag-compare: \(error)") }
            return "\"\""
        }
    }
}

// The tag of the response
extension ConditionOptions {
    /// A file has the tag of one response.
    func check(hasSeveralURLs: Bool) throws {
        if hasSeveralURLs, let option = savedTag != nil ? "--etag-save" : comparedTag != nil ? "--etag-compare" : nil {
            throw UsageError("\(option): the file has one tag: give one URL")
        }
    }

    /// What cannot be written later is reported before anything is sent.
    ///
    /// - Parameter path: the output of the body.
    func check(_ path: String?) throws {
        guard let savedTag else { return }
        do throws(OutputError) {
            _ = try BodySink(path: savedTag)
        } catch {
            throw CommandFailure(.unwritable, "--etag-save: \(error)")
        }
        guard let file = OutputTarget.regularFile(savedTag) else { return }
        if path.flatMap(OutputTarget.regularFile) == file {
            throw UsageError("-o and --etag-save both write to \(savedTag): give two files")
        }
    }

    /// Writes the tag of a success. A 304 without one, or another status, leaves the file as it is: it says nothing of
    /// the tag that is known.
    func saveTag(of response: HTTPURLResponse) throws {
        guard let savedTag, (200..<300).contains(response.statusCode) || response.statusCode == 304 else { return }
        let tag = response.head.bytes(for: "ETag").first ?? []
        if tag.isEmpty, response.statusCode == 304 { return }
        do {
            let sink = try BodySink(path: savedTag)
            _ = try sink.open()
            if !tag.isEmpty { try sink.write(Data(tag + [0x0A])) }
            try sink.finish()
        } catch let error as StandardStreams.WriteError {
            throw error
        } catch {
            throw CommandFailure(.unwritable, "--etag-save: \(error)")
        }
    }
}

/// The argument of `-z`: a date, and whether a response is wanted that is newer or not.
struct TimeCondition: Equatable {
    /// In seconds since 1970-01-01T00:00:00Z.
    let seconds: Int64
    /// The same as fields have it.
    let date: String
    let isUnmodified: Bool

    /// Nil for what is neither a date nor a file.
    init?(argument: String) {
        let sign = argument.utf8.first
        isUnmodified = sign == UInt8(ascii: "-")
        let text = isUnmodified || sign == UInt8(ascii: "+") ? String(argument.unicodeScalars.dropFirst()) : argument
        guard let seconds = HTTPDate.seconds(text) ?? Self.modificationTime(of: text),
            let date = HTTPDate.text(seconds)
        else { return nil }
        (self.seconds, self.date) = (seconds, date)
    }

    /// The field that carries it.
    var fieldName: String { isUnmodified ? "If-Unmodified-Since" : "If-Modified-Since" }

    /// Whether the response is wanted: a server may ignore the condition, and say nevertheless when its file has changed.
    func isMet(by response: HTTPURLResponse) -> Bool {
        guard let changed = response.value(forHTTPHeaderField: "Last-Modified").flatMap(HTTPDate.seconds) else {
            return true
        }
        return isUnmodified ? changed < seconds : changed > seconds
    }

    private static func modificationTime(of path: String) -> Int64? {
        path.isEmpty || path.utf8.contains(0) ? nil : FileStatus(of: path)?.modificationTime
    }
}
