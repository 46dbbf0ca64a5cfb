// SPDX-License-Identifier: Apache-2.0

/// Credentials by space.
struct CredentialTable: Sendable {
    struct Entry: Sendable {
        /// In the order in which they were set.
        var credentials: [Credential] = []
        /// The user of the default one.
        var defaultUser: String?
    }

    private(set) var spaces: [ProtectionSpace: Entry] = [:]
    /// Whether a certificate of the client has been set: most storages are never asked for one.
    private(set) var hasIdentities = false

    init() {}

    /// Of several records with one user the last counts.
    init(_ records: [CredentialRecord]) {
        for record in records { _ = set(record.credential, for: record.space, isDefault: record.isDefault) }
    }

    func credentials(for space: ProtectionSpace) -> [Credential] { spaces[space]?.credentials ?? [] }

    func defaultCredential(for space: ProtectionSpace) -> Credential? {
        guard let entry = spaces[space], let user = entry.defaultUser else { return nil }
        return entry.credentials.first { $0.user == user }
    }

    func proposals(for space: ProtectionSpace) -> [Credential] {
        guard let entry = spaces[space] else { return [] }
        let user = entry.defaultUser
        return entry.credentials.filter { user != nil && $0.user == user }
            + entry.credentials.reversed().filter { user == nil || $0.user != user }
    }

    /// Returns which credentials have changed.
    mutating func set(
        _ credential: Credential, for space: ProtectionSpace, isDefault: Bool = false
    ) -> [CredentialRecord.Key] {
        guard credential.persistence != .none, let user = credential.user else { return [] }
        if credential.identity != nil { hasIdentities = true }
        var entry = spaces[space] ?? Entry()
        var changed = [user]
        entry.credentials.removeAll { $0.user == user }
        entry.credentials.append(credential)
        if isDefault, entry.defaultUser != user {
            changed += entry.defaultUser.map { [$0] } ?? []
            entry.defaultUser = user
        }
        // The key keeps no server's certificates alive.
        if spaces[space] == nil { spaces[space.withoutTrust] = entry } else { spaces[space] = entry }
        return changed.map { CredentialRecord.Key(space: space.withoutTrust, user: $0) }
    }

    mutating func remove(_ user: String?, for space: ProtectionSpace) -> [CredentialRecord.Key] {
        guard let user, var entry = spaces[space], entry.credentials.contains(where: { $0.user == user }) else {
            return []
        }
        entry.credentials.removeAll { $0.user == user }
        if entry.defaultUser == user { entry.defaultUser = nil }
        spaces[space] = entry.credentials.isEmpty ? nil : entry
        return [CredentialRecord.Key(space: space.withoutTrust, user: user)]
    }

    /// The content of a file with these changes of the table.
    func merged(_ changes: Set<CredentialRecord.Key>, into content: [UInt8]) -> [UInt8] {
        let content = CredentialText(content)
        let others = content.records.filter { !changes.contains($0.key) }
        let own = changes.compactMap(record).sorted { $0.key.user < $1.key.user }
        return CredentialText.bytes(of: others + own, after: content.otherLines)
    }

    /// Nil for what is in no file.
    private func record(_ key: CredentialRecord.Key) -> CredentialRecord? {
        guard let entry = spaces[key.space], let credential = entry.credentials.first(where: { $0.user == key.user }),
            let password = credential.passwordCredential, credential.persistence != .forSession
        else { return nil }
        return CredentialRecord(space: key.space, password: password, isDefault: entry.defaultUser == key.user)
    }
}
