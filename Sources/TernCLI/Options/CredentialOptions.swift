// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Tern
import TernEngine
import TernFiles

/// The credentials of a request, with curl's option names.
struct CredentialOptions: ParsableArguments {
    @Option(
        name: [.customShort("u", allowingJoined: true), .customLong("user")], parsing: .unconditional,
        help: ArgumentHelp(
            "Authenticate with this name and password. Every user of this machine can see the password: -H @file hides your "
                + "own Authorization field.", valueName: "user:password"))
    var user: String?

    @Flag(name: .customLong("basic"), help: "Send -u with HTTP Basic, without waiting for a challenge: the default.")
    var usesBasic = false

    @Flag(name: .customLong("digest"), help: "Send -u with HTTP Digest only, when the server requests it.")
    var usesDigest = false

    @Flag(
        name: .customLong("anyauth"),
        help: "Send -u in the safest way that the server offers, when it requests it: Digest or Basic.")
    var usesAny = false

    @Option(
        name: .customLong("oauth2-bearer"), parsing: .unconditional,
        help: ArgumentHelp("Send this bearer token (RFC 6750).", valueName: "token"))
    var bearer: String?

    /// The option that gives the credentials; nil for none.
    var option: String? { user != nil ? "-u" : bearer != nil ? "--oauth2-bearer" : nil }

    func validate() throws {
        if let user, !user.utf8.contains(UInt8(ascii: ":")) {
            throw ValidationError("-u: give user:password; tern does not prompt for a password")
        }
        if user != nil, bearer != nil {
            throw ValidationError("-u and --oauth2-bearer are two credentials: give one of them")
        }
        if bearer?.isEmpty == true { throw ValidationError("--oauth2-bearer: the token is empty") }
        if [usesBasic, usesDigest, usesAny].count(where: { $0 }) > 1 {
            throw ValidationError("--basic, --digest and --anyauth exclude each other: give one of them")
        }
        if (usesDigest || usesAny), bearer != nil {
            throw ValidationError("--oauth2-bearer is sent as it is: leave out --digest and --anyauth")
        }
    }

    /// The value of an `Authorization` field that is sent without waiting for a challenge.
    var authorization: String? {
        if let bearer { return "Bearer " + bearer }
        guard let user, !usesDigest, !usesAny else { return nil }
        return BasicScheme.authorization(ByteText.bytes(of: user))
    }

    /// Has the request answer challenges, or sends the name and password of its URL as curl does.
    func apply(to request: inout Tern.URLRequest) {
        let schemes: PasswordCredential.Schemes = usesDigest ? .digest : usesAny ? .all : .basic
        if let user {
            guard schemes != .basic else { return }
            let bytes = ByteText.bytes(of: user)
            let colon = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.endIndex
            request.credential = PasswordCredential(
                user: Array(bytes[..<colon]), password: Array(bytes[colon...].dropFirst()), schemes: schemes)
        } else if let inURL = request.credential {
            if schemes == .basic, request.value(forHTTPHeaderField: "Authorization") == nil {
                request.setValue(BasicScheme.uncheckedAuthorization(inURL), forHTTPHeaderField: "Authorization")
            }
            request.credential = PasswordCredential(
                user: inURL.userBytes, password: inURL.passwordBytes, schemes: schemes)
        }
    }
}
