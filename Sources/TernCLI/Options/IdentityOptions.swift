// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernEngine
import TernTLS

/// The client's identity, with curl's option names.
struct IdentityOptions: OptionGroup, Equatable {
    static var table: OptionTable<Self> {
        OptionTable(
            .value(
                "-E", "--cert", as: "file[:password]",
                help:
                    "Send this certificate to servers that request one: PEM, or PKCS#12 if the file ends in .p12 or .pfx."
            ) { $0.certificate = $1.given },
            .value(
                "--cert-type", as: "PEM|DER|P12", help: "How the file of --cert is encoded, whatever its name."
            ) { $0.certificateType = try $1.read(FileEncoding.init(argument:)) },
            .value(
                "--key", as: "file|URI",
                help:
                    "The private key in PEM, if it is not in the certificate's file; or pkcs11:… of a token that has it."
            ) { $0.keyFile = $1.given },
            .value(
                "--key-type", as: "PEM|DER|ENG|PROV", help: "How the private key is encoded, or that --key is a URI."
            ) {
                $0.keyType = try $1.read(FileEncoding.init(argument:))
            },
            .value(
                "--pass", as: "passphrase",
                help: "The passphrase of the private key. Every user of this machine can see it."
            ) { $0.passphrase = $1.text },
            .value(
                "--key-log", as: "file",
                help:
                    "Append the secrets of the connection to this file in place of $SSLKEYLOGFILE, for Wireshark. Delete it afterwards."
            ) { $0.keyLogFile = $1.text })
    }

    /// How a certificate or a key is encoded.
    enum FileEncoding: String {
        case pem, der, p12
        /// A URI of a key that is elsewhere, in an engine or a provider.
        case eng, prov

        init?(argument: String) { self.init(rawValue: argument.lowercased()) }
    }

    var certificate: String?
    var certificateType: FileEncoding?
    var keyFile: String?
    var keyType: FileEncoding?
    var passphrase: String?
    var keyLogFile: String?

    /// That of the option, or of the environment as in curl: the user of the command may look at its own connections. The
    /// library reads no variable.
    var keyLog: TLSKeyLog? {
        (keyLogFile ?? ProcessInfo.processInfo.environment["SSLKEYLOGFILE"].flatMap { $0.isEmpty ? nil : $0 })
            .map { TLSKeyLog(path: $0) }
    }

    func validate() throws {
        if keyType == .p12 {
            throw UsageError("--key-type P12: give PEM or DER, or --cert-type P12 for both in one file")
        }
        if let certificateType, [.eng, .prov].contains(certificateType) {
            throw UsageError("--cert-type: a certificate is read from a file: give PEM, DER or P12")
        }
    }

    func identity() throws -> ClientIdentity? {
        guard let certificate else { return nil }
        let (file, joined) = Self.split(certificate)
        if joined != nil, passphrase != nil {
            throw UsageError("--cert \(file):… and --pass are two passphrases: give one of them")
        }
        let type = certificateType ?? (file.hasSuffix(".p12") || file.hasSuffix(".pfx") ? .p12 : .pem)
        if type == .p12, keyFile != nil || keyType != nil {
            throw UsageError("--cert \(file): a PKCS#12 file has its own key: omit --key and --key-type")
        }
        let bytes = try Self.read(file, "--cert")
        do {
            if type == .p12 { return try ClientIdentity(pkcs12: bytes, passphrase: joined ?? passphrase ?? "") }
            let certificates = type == .der ? [try X509Certificate(der: bytes)] : try X509Certificate.all(inPEM: bytes)
            if let keyFile, namesStore(keyFile) {
                return try ClientIdentity(
                    certificates: certificates, keyURI: keyFile, passphrase: joined ?? passphrase)
            }
            return try ClientIdentity(
                certificates: certificates,
                privateKey: try keyFile.map { try Self.read($0, "--key") } ?? bytes,
                encoding: keyType == .der ? .der : .pem, passphrase: joined ?? passphrase)
        } catch let error as ClientIdentityError {
            throw CommandFailure(.clientCertificate, "--cert \(file): \(error)")
        } catch let error as CertificateError {
            throw CommandFailure(.clientCertificate, "--cert \(file): \(error)")
        }
    }

    /// As in curl, a URI of PKCS #11 is known by its scheme.
    private func namesStore(_ key: String) -> Bool {
        keyType == .eng || keyType == .prov || key.lowercased().hasPrefix("pkcs11:")
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
