// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials
import TernFiles
import TernIO
import TernTLS

/// Policies that are delivered over the air, and those of a debugger.
extension PolicyFile {
    /// Reads a policy from its JSON text, if it is signed. Does not block.
    ///
    /// - Parameters:
    ///   - json: the policy, byte for byte as it was signed.
    ///   - signature: the contents of the signature's file: Ed25519, or ECDSA on P-256 or RSA with SHA-256.
    ///   - publicKey: the contents of the key's file: DER, or a PEM text with a `PUBLIC KEY` block. A program has it within.
    /// - Throws: `invalidSignature` for another key, or other bytes.
    public init(json: some Sequence<UInt8>, signature: some Sequence<UInt8>, publicKey: some Sequence<UInt8>)
        throws(PolicyFileError)
    {
        let (json, signature, publicKey) = (Array(json), Array(signature), Array(publicKey))
        guard VerificationKey.isSigned(json, by: publicKey, signature: signature, allowsEd25519: true) else {
            throw PolicyFileError(.invalidSignature)
        }
        try self.init(json: json)
    }

    /// Reads a policy from a file of at most 16 MB, if it is signed, and no older than those before. Blocks meanwhile.
    ///
    /// - Parameters:
    ///   - file: the policy.
    ///   - signature: the file of its signature; see ``init(json:signature:publicKey:)``.
    ///   - publicKey: the contents of the key's file.
    ///   - numberFile: where the greatest ``number`` that was read is kept, in decimal digits: a policy with a smaller number,
    ///     or with none, is refused, so that an old policy cannot return. The file is created if it does not exist. Nil
    ///     accepts any number.
    /// - Throws: also `outdated` for a smaller number, and `invalidNumberFile`.
    public init(
        contentsOf file: URL, signature: URL, publicKey: some Sequence<UInt8>, numberFile: URL? = nil
    ) throws(PolicyFileError) {
        let publicKey = Array(publicKey)
        try self.init(
            json: try Self.contents(of: file), signature: try Self.contents(of: signature), publicKey: publicKey)
        if let numberFile { try keepNumber(in: numberFile.path(percentEncoded: false)) }
    }

    /// Refuses a number that is smaller than the one in a file, and puts a greater one there. Blocks.
    package func keepNumber(in path: String) throws(PolicyFileError) {
        guard let number else { throw PolicyFileError(.missingField, field: "number") }
        let last = try Self.keptNumber(in: path)
        if let last, number < last { throw PolicyFileError(.outdated(number: number, last: last), field: "number") }
        if number == last { return }
        do throws(SystemCallError) { try OutputFile.replace(path, by: Array("\(number)\n".utf8)) } catch {
            throw PolicyFileError(.unwritable(path: path, error))
        }
    }

    /// Nil if there is no such file.
    private static func keptNumber(in path: String) throws(PolicyFileError) -> Int? {
        let bytes: [UInt8]?
        do throws(SystemCallError) { bytes = try FileContent.read(path, limit: 64) } catch {
            throw PolicyFileError(.unreadable(path: path, error))
        }
        guard let bytes else { return nil }
        let digits = bytes.last == UInt8(ascii: "\n") ? bytes.dropLast() : bytes[...]
        guard let number = Int(String(decoding: digits, as: UTF8.self)), number >= 0 else {
            throw PolicyFileError(.invalidNumberFile(path: path))
        }
        return number
    }

    /// This policy, with the rules of a file in front of it: for the proxy of a debugger, whose authority no pin matches.
    /// A host that these rules are for has none of this policy's. Blocks while the file is read.
    ///
    /// - Throws: `debugBuildsOnly` in a program whose Tern was built without `DEBUG`, whatever the file, so that no release
    ///   can be opened by a file beside it.
    public func overridden(byDebugFile file: URL) throws(PolicyFileError) -> PolicyFile {
        #if DEBUG
            let other = try PolicyFile(contentsOf: file)
            var policy = self
            policy.overrides = Overrides(rules: other.rules, unlistedRule: other.unlistedRule)
            return policy
        #else
            throw PolicyFileError(.debugBuildsOnly)
        #endif
    }
}
