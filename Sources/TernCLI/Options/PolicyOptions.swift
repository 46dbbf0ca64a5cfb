// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernEngine
import TernTLS

/// A policy file, and what proves it.
struct PolicyOptions: OptionGroup, Equatable {
    static var table: OptionTable<Self> {
        OptionTable(
            .value(
                "--policy", as: "file",
                help: "Demand of each host what this policy file in JSON says, redirects included."
            ) { $0.file = $1.text },
            .value(
                "--policy-key", as: "file",
                help:
                    "Require that the policy is signed with this public key; its signature is in the file beside it, .sig."
            ) { $0.keyFile = $1.text },
            .value(
                "--policy-number", as: "file",
                help: "Keep the number of the policy in this file, and refuse a policy with a smaller one."
            ) { $0.numberFile = $1.text },
            .value(
                "--policy-override", as: "file",
                help: "Put the rules of this policy file in front; a build for releases refuses it."
            ) { $0.overrideFile = $1.text })
    }

    var file: String?
    var keyFile: String?
    var numberFile: String?
    var overrideFile: String?

    func validate() throws {
        guard file == nil else { return }
        let others = [("--policy-key", keyFile), ("--policy-number", numberFile), ("--policy-override", overrideFile)]
        if let (option, _) = others.first(where: { $0.1 != nil }) {
            throw UsageError("\(option) has no effect without --policy")
        }
    }

    /// The policy; nil if none is given.
    ///
    /// - Parameter failure: the error that says why it cannot be used.
    func policy(_ failure: (String) -> any Error) throws -> PolicyFile? {
        guard let file else { return nil }
        var policy = try Self.read(file, "--policy", failure) { bytes throws(PolicyFileError) in
            guard let keyFile else { return try PolicyFile(json: bytes) }
            let url = URL(filePath: file + ".sig")
            return try PolicyFile(
                json: bytes, signature: try PolicyFile.contents(of: url),
                publicKey: try PolicyFile.contents(of: URL(filePath: keyFile)))
        }
        if let numberFile {
            do { try policy.keepNumber(in: numberFile) } catch { throw failure("--policy-number: \(error)") }
        }
        if let overrideFile {
            do { policy = try policy.overridden(byDebugFile: URL(filePath: overrideFile)) } catch {
                throw failure("--policy-override: \(overrideFile): \(error)")
            }
        }
        return policy
    }

    /// Reads a file that an option names.
    static func read(
        _ path: String, _ option: String, _ failure: (String) -> any Error,
        _ parse: ([UInt8]) throws(PolicyFileError) -> PolicyFile = { bytes throws(PolicyFileError) in
            try PolicyFile(json: bytes)
        }
    ) throws -> PolicyFile {
        let bytes: [UInt8]
        do throws(InputError) { bytes = [UInt8](try InputFile.contents(of: path)) } catch {
            throw failure("\(option): \(error)")
        }
        do throws(PolicyFileError) { return try parse(bytes) } catch { throw failure("\(option): \(path): \(error)") }
    }
}

/// Certificate Transparency, and whose rules of it count.
struct TransparencyOptions: OptionGroup, Equatable {
    static var table: OptionTable<Self> {
        OptionTable(
            .value(
                "--ct", as: "file",
                help: "Require Certificate Transparency, with the logs in this file, such as Google's log_list.json."
            ) { $0.logList = $1.text },
            .value("--ct-rules", as: "chrome|apple", help: "Whose rules count: chrome, unless given, or apple.") {
                $0.rules = try $1.read(TransparencyPolicy.Rules.init(rawValue:))
            })
    }

    var logList: String?
    var rules: TransparencyPolicy.Rules?

    func validate() throws {
        if rules != nil, logList == nil { throw UsageError("--ct-rules has no effect without --ct") }
    }

    /// The logs; nil if none are given.
    func logs(_ failure: (String) -> any Error = { UsageError($0) }) throws -> TransparencyLogList? {
        try logList.map { path in
            do { return try TransparencyLogList(json: [UInt8](try InputFile.contents(of: path))) } catch {
                throw failure("--ct: \(error is InputError ? "" : path + ": ")\(error)")
            }
        }
    }

    /// The policy, which has the logs of its session; nil without `--ct`.
    func policy(mode: TransparencyPolicy.Mode = .enforce, requiresFreshList: Bool = false) -> ServerTrustPolicy? {
        if logList == nil { return nil }
        return .certificateTransparency(
            TransparencyPolicy(rules: rules ?? .chrome, mode: mode, requiresFreshList: requiresFreshList))
    }
}
