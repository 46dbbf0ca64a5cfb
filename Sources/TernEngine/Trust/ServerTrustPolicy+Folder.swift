// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials
public import TernTLS

extension ServerTrustPolicy {
    /// Exactly Alamofire's list; `.Cer` is not in it.
    private static let extensions: Set<String> = ["cer", "CER", "crt", "CRT", "der", "DER"]

    /// Returns the certificates in a folder: DER files with the extension `cer`, `crt` or `der`, all in lower or all in
    /// upper case, ordered by file name. Sub-folders are not searched.
    ///
    /// As in Alamofire, other files are silently skipped: PEM, keys, malformed and unreadable ones. A folder without
    /// certificates gives an empty list, and a policy without pins refuses every server. Blocks while the files are
    /// read.
    public static func certificates(in folder: URL) -> [X509Certificate] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.sorted().compactMap { name in
            let file = folder.appending(path: name)
            guard extensions.contains(file.pathExtension), let data = try? Data(contentsOf: file) else { return nil }
            return try? X509Certificate(der: [UInt8](data))
        }
    }

    /// Returns the keys of the certificates in a folder; see ``certificates(in:)-(URL)``.
    public static func publicKeys(in folder: URL) -> [X509Certificate.PublicKey] {
        certificates(in: folder).map(\.publicKey)
    }
}
