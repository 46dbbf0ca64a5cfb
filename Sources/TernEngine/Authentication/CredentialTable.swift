// SPDX-License-Identifier: Apache-2.0

/// Credentials by space.
///
/// A server can accept credentials in as many spaces as it names realms. So one in which the program has set none is
/// kept within limits: for each host and in total those go that were not used for longest.
struct CredentialTable: Sendable {
    struct Entry: Sendable {
        /// In the order in which they were set.
        var credentials: [Credential] = []
        /// The user of the default one.
        var defaultUser: String?
        /// Who had the space alone first, and stands in for a default one until the program has made another.
        var firstUser: String?
        /// Whether the program has set none of them.
        fileprivate(set) var isAccepted: Bool
        /// The number of the last use, or of the last change.
        fileprivate(set) var lastUse: UInt64 = 0
    }

    struct Content: Equatable {
        let credentials: Set<Credential>
        let defaultCredential: Credential?
    }

    /// In bytes of UTF-8. A realm is the server's choice, and stands in the file.
    private static let maximumRealmLength = 256

    private(set) var spaces: [ProtectionSpace: Entry] = [:]
    /// The accepted spaces of each host, in no order.
    private var accepted: [String: [ProtectionSpace]] = [:]
    private var acceptedCount = 0
    private var useCount: UInt64 = 0
    /// Whether a certificate of the client has been set: most storages are never asked for one.
    private(set) var hasIdentities = false

    init() {}

    /// Of several records with one user the last counts.
    init(_ records: [CredentialRecord]) {
        for record in CredentialRecord.bounded(records) {
            _ = set(
                record.credential, for: record.space, isDefault: record.standing == .default,
                isAccepted: record.standing == .accepted)
        }
    }

    func credentials(for space: ProtectionSpace) -> [Credential] { spaces[space]?.credentials ?? [] }

    func defaultCredential(for space: ProtectionSpace) -> Credential? {
        guard let entry = spaces[space], let user = entry.defaultUser ?? entry.firstUser else { return nil }
        return entry.credentials.first { $0.user == user }
    }

    /// What a program can see of a space.
    func content(of space: ProtectionSpace) -> Content {
        Content(credentials: Set(credentials(for: space)), defaultCredential: defaultCredential(for: space))
    }

    func proposals(for space: ProtectionSpace) -> [Credential] {
        guard let entry = spaces[space] else { return [] }
        let user = entry.defaultUser
        return entry.credentials.filter { user != nil && $0.user == user }
            + entry.credentials.reversed().filter { user == nil || $0.user != user }
    }

    /// The space is used: it goes later.
    mutating func use(_ space: ProtectionSpace) {
        useCount &+= 1
        spaces[space]?.lastUse = useCount
    }

    /// Sets a credential that a server has accepted. Returns which credentials have changed or gone.
    mutating func accept(_ credential: Credential, for space: ProtectionSpace) -> [CredentialRecord.Key] {
        let isKnown = spaces[space] != nil
        if !isKnown, space.realm?.utf8.count ?? 0 > Self.maximumRealmLength { return [] }
        let changed = set(credential, for: space, isAccepted: true)
        return isKnown ? changed : changed + makeRoom(on: space.canonicalHost)
    }

    /// Returns which credentials have changed.
    mutating func set(
        _ credential: Credential, for space: ProtectionSpace, isDefault: Bool = false, isAccepted: Bool = false
    ) -> [CredentialRecord.Key] {
        guard credential.persistence != .none, let user = credential.user else { return [] }
        if credential.identity != nil { hasIdentities = true }
        // The key keeps no server's certificates alive.
        let space = space.withoutTrust
        var entry = spaces[space] ?? Entry(isAccepted: isAccepted)
        if spaces[space] == nil {
            entry.firstUser = user
            if isAccepted { count(space) }
        }
        var changed = [user]
        entry.credentials.removeAll { $0.user == user }
        entry.credentials.append(credential)
        if isDefault, entry.defaultUser != user {
            changed += entry.defaultUser.map { [$0] } ?? []
            (entry.defaultUser, entry.firstUser) = (user, nil)
        }
        if entry.isAccepted, !isAccepted {
            entry.isAccepted = false
            discount(space)
            changed = entry.credentials.compactMap(\.user)
        }
        spaces[space] = entry
        use(space)
        return keys(of: changed, in: space)
    }

    mutating func remove(_ user: String?, for space: ProtectionSpace) -> [CredentialRecord.Key] {
        guard let user, var entry = spaces[space], entry.credentials.contains(where: { $0.user == user }) else {
            return []
        }
        entry.credentials.removeAll { $0.user == user }
        if entry.defaultUser == user { entry.defaultUser = nil }
        if entry.firstUser == user { entry.firstUser = nil }
        if entry.credentials.isEmpty, entry.isAccepted { discount(space) }
        spaces[space] = entry.credentials.isEmpty ? nil : entry
        return keys(of: [user], in: space.withoutTrust)
    }

    private func keys(of users: [String], in space: ProtectionSpace) -> [CredentialRecord.Key] {
        users.map { CredentialRecord.Key(space: space, user: $0) }
    }

    /// Whether there is a credential with the key.
    func contains(_ key: CredentialRecord.Key) -> Bool {
        spaces[key.space]?.credentials.contains { $0.user == key.user } ?? false
    }
}

// The limits
extension CredentialTable {
    private mutating func count(_ space: ProtectionSpace) {
        accepted[space.canonicalHost, default: []].append(space)
        acceptedCount += 1
    }

    private mutating func discount(_ space: ProtectionSpace) {
        let host = space.canonicalHost
        accepted[host]?.removeAll { $0 == space }
        if accepted[host]?.isEmpty == true { accepted[host] = nil }
        acceptedCount -= 1
    }

    private mutating func makeRoom(on host: String) -> [CredentialRecord.Key] {
        if let spaces = accepted[host], spaces.count > CredentialStorage.maximumSpaceCountPerHost {
            return forget(spaces.min { lastUse(of: $0) < lastUse(of: $1) }.map { [$0] } ?? [])
        }
        if acceptedCount <= CredentialStorage.maximumSpaceCount { return [] }
        // A tenth at a time: not every further space shall cost a look at all of them.
        let all = accepted.values.joined().sorted { lastUse(of: $0) < lastUse(of: $1) }
        return forget(all.prefix(CredentialStorage.maximumSpaceCount / 10))
    }

    private func lastUse(of space: ProtectionSpace) -> UInt64 { spaces[space]?.lastUse ?? 0 }

    private mutating func forget(_ forgotten: some Sequence<ProtectionSpace>) -> [CredentialRecord.Key] {
        var changed: [CredentialRecord.Key] = []
        for space in forgotten {
            guard let entry = spaces.removeValue(forKey: space) else { continue }
            discount(space)
            changed += keys(of: entry.credentials.compactMap(\.user), in: space)
        }
        return changed
    }
}

// The file
extension CredentialTable {
    /// The content of a file with these changes of the table.
    func merged(_ changes: Set<CredentialRecord.Key>, into content: [UInt8]) -> [UInt8] {
        let content = CredentialText(content)
        let others = content.records.filter { !changes.contains($0.key) }
        let own = changes.compactMap(record).sorted {
            ($0.lastUse, $0.record.key.user) < ($1.lastUse, $1.record.key.user)
        }
        // Several processes may have kept within the limits each for itself.
        return CredentialText.bytes(of: CredentialRecord.bounded(others + own.map(\.record)), after: content.otherLines)
    }

    /// Nil for what is in no file.
    private func record(_ key: CredentialRecord.Key) -> (record: CredentialRecord, lastUse: UInt64)? {
        guard let entry = spaces[key.space], let credential = entry.credentials.first(where: { $0.user == key.user }),
            let password = credential.passwordCredential, credential.persistence != .forSession,
            // The file has no word for these.
            key.space.proxyType == nil
        else { return nil }
        let standing: CredentialRecord.Standing =
            entry.defaultUser == key.user ? .default : entry.isAccepted ? .accepted : .set
        return (CredentialRecord(space: key.space, password: password, standing: standing), entry.lastUse)
    }
}

extension CredentialRecord {
    /// The records without those that are beyond the limits: of the accepted spaces the last ones stay.
    static func bounded(_ records: [CredentialRecord]) -> [CredentialRecord] {
        let set = Set(records.lazy.filter { $0.standing != .accepted }.map(\.space))
        var kept: Set<ProtectionSpace> = []
        var countByHost: [String: Int] = [:]
        let bounded = records.reversed().filter { record in
            if set.contains(record.space) || kept.contains(record.space) { return true }
            let count = countByHost[record.space.canonicalHost] ?? 0
            guard count < CredentialStorage.maximumSpaceCountPerHost, kept.count < CredentialStorage.maximumSpaceCount
            else { return false }
            countByHost[record.space.canonicalHost] = count + 1
            kept.insert(record.space)
            return true
        }
        return bounded.reversed()
    }
}
