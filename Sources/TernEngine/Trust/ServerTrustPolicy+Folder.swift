// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials
public import TernTLS

extension ServerTrustPolicy {
    /// Alamofire's list, to the letter; `.Cer` is not on it.
    private static let extensions: Set<String> = ["cer", "CER", "crt", "CRT", "der", "DER"]

    /// The certificates in a folder: DER files with the extension `cer`, `crt` or `der`, all in lower or all in upper
    /// case, by file name. Sub-folders are not searched.
    ///
    /// As in Alamofire, whatever else is there is silently passed over: PEM, keys, garbage, what cannot be read. A
    /// folder without certificates gives none, and a policy that pins none refuses everyone. Blocks while the files are
    /// read.
    public static func certificates(in folder: URL) -> [X509Certificate] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.sorted().compactMap { name in
            let file = folder.appending(path: name)
            guard extensions.contains(file.pathExtension), let data = try? Data(contentsOf: file) else { return nil }
            return try? X509Certificate(der: [UInt8](data))
        }
    }

    /// The keys of the certificates in a folder; see ``certificates(in:)-(URL)``.
    public static func publicKeys(in folder: URL) -> [X509Certificate.PublicKey] {
        certificates(in: folder).map(\.publicKey)
    }
}
