// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import Tern

/// The client's identity, with curl's option names.
struct IdentityOptions: ParsableArguments {
    @Option(
        name: [.customShort("E"), .customLong("cert")],
        help: ArgumentHelp(
            "Send this certificate to servers that request one: PEM, or PKCS#12 if the file ends in .p12 or .pfx.",
            valueName: "file[:password]"))
    var certificate: String?

    @Option(
        name: .customLong("key"),
        help: ArgumentHelp("The private key in PEM, if it is not in the certificate's file.", valueName: "file"))
    var keyFile: String?

    @Option(
        name: .customLong("key-log"),
        help: ArgumentHelp(
            "Append the secrets of the connection to this file, for Wireshark. Delete it afterwards.", valueName: "file"
        ))
    var keyLogFile: String?

    var keyLog: TLSKeyLog? { keyLogFile.map { TLSKeyLog(path: $0) } }

    /// The given options.
    var given: [String] {
        [("--cert", certificate != nil), ("--key", keyFile != nil), ("--key-log", keyLogFile != nil)]
            .filter(\.1).map(\.0)
    }

    func identity() throws -> ClientIdentity? {
        guard let certificate else {
            if keyFile != nil { throw ValidationError("--key needs --cert") }
            return nil
        }
        let (file, password) = Self.split(certificate)
        let bytes = try Self.read(file, "--cert")
        do {
            if file.hasSuffix(".p12") || file.hasSuffix(".pfx") {
                return try ClientIdentity(pkcs12: bytes, passphrase: password ?? "")
            }
            return try ClientIdentity(
                pem: bytes, privateKeyPEM: try keyFile.map { try Self.read($0, "--key") }, passphrase: password)
        } catch let error as ClientIdentityError {
            throw CommandFailure(.clientCertificate, "--cert \(file): \(error)")
        }
    }

    /// As in curl, the first colon ends the file's name; `\:` is a colon in it.
    private static func split(_ argument: String) -> (file: String, password: String?) {
        var file = ""
        var rest = Substring(argument)
        while let character = rest.popFirst() {
            if character == "\\", rest.first == ":" || rest.first == "\\", let escaped = rest.popFirst() {
                file.append(escaped)
            } else if character == ":" {
                return (file, String(rest))
            } else {
                file.append(character)
            }
        }
        return (file, nil)
    }

    private static func read(_ file: String, _ option: String) throws -> [UInt8] {
        do throws(InputError) {
            return [UInt8](try InputFile.contents(of: file))
        } catch {
            throw CommandFailure(.clientCertificate, "\(option): \(error)")
        }
    }
}
