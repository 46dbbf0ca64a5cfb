// SPDX-License-Identifier: Apache-2.0
import TernHTTP1

/// Answers a 401 and its challenge (RFC 9110 §11.6.1) with the credential of the request, its URL or a netrc file. A
/// challenge that does not refuse the last credential is answered with that credential again. In all other cases the task
/// asks its delegate, and proposes a credential of the session's storage.
///
/// A credential that is accepted is stored, as far as it may be. Where the server has accepted one from the storage, or
/// one that is there now, the next request within its space has it without being asked. A stored credential is for its
/// space: a redirect to another origin is authenticated by what is stored for that one, if anything is. The name and the
/// password of a URL are for requests with that URL's name and password alone: they are not stored.
///
/// Where only Digest may authenticate a hop, it may be sent without its content first, as curl does: the server answers
/// the first request with its challenge, so the content would be sent for nothing, and content that can be read once
/// would be lost.
struct Authentication: HopPolicy {
    /// The maximum number of credentials that a task sends: the 401 that follows is the answer.
    static let maximumChallengeCount = 16
    /// The maximum number of challenges that are answered without asking between two redirects or retries: a server may
    /// call every nonce stale.
    static let maximumAnswerCount = 4

    /// A password, and how long it is stored if it is accepted; nil for one from the storage.
    private typealias Answer = (credential: PasswordCredential, persistence: Credential.Persistence?)

    /// A credential of the storage, and the challenge that it answers.
    private typealias Proposal = (credential: Credential, challenge: HTTPChallenge)

    private struct Login {
        let password: PasswordLogin
        /// Nil for one from the storage, and for one that has been stored.
        var persistence: Credential.Persistence?
        /// Whether it was sent before the server requested it.
        var isEarly = false
    }

    private struct Refusal: Hashable {
        let space: ProtectionSpace
        let credential: PasswordCredential
    }

    private struct Memory: PolicyMemory {
        /// The number of credentials that were sent to answer challenges.
        var challengeCount = 0
        /// The same by origin.
        var challengeCounts: [HTTPOrigin: Int] = [:]
        /// Challenges that were answered without asking.
        var answers = RecentCount()
        /// The password that the hop, or one before, was authenticated with.
        var login: Login?
        /// What servers refused.
        var refusals: Set<Refusal> = []
        /// The number of the hop whose server requests no password.
        var openHop: Int?

        /// The next hop answers a challenge of this origin.
        mutating func countChallenge(of origin: HTTPOrigin?) {
            challengeCount += 1
            if let origin { challengeCounts[origin, default: 0] += 1 }
        }

        func refuses(_ credential: PasswordCredential, for space: ProtectionSpace) -> Bool {
            !refusals.isEmpty && refusals.contains(Refusal(space: space, credential: credential))
        }
    }

    let interests: HopInterests
    /// The session's `Authorization` field: a credential of the request takes its place.
    private let defaultAuthorization: String?
    private let netrc: Netrc?
    private let probesForDigest: Bool
    private let storage: CredentialStorage?
    private let spaces = AuthenticatedSpaces()
    private let nonces = NonceCounts()

    init(of configuration: SessionConfiguration) {
        storage = configuration.urlCredentialStorage
        probesForDigest = configuration.probesForDigest
        interests = storage != nil || probesForDigest ? [.preparation, .allHeads] : .unsuccessfulHeads
        defaultAuthorization = configuration.httpAdditionalHeaders["Authorization"]
        netrc = configuration.netrc
    }

    func prepare(_ hop: Hop, _ history: inout TaskHistory) -> HopPreparation {
        if storage != nil { logIn(hop, &history) }
        guard probesForDigest, hop.request.body != nil, hop.request.announcedContentLength != 0, !isAuthorized(history),
            (netrc?.credential(for: hop) ?? (hop.mayCarryCredentials ? hop.request.credential : nil))?.schemes
                == .digest
        else { return .ready }
        let memory = history[Memory.self]
        guard memory.login == nil, memory.openHop != hop.number else { return .ready }
        var request = hop.request
        request.removeContent()
        // Without its parts a form has no boundary.
        if request.value(forHTTPHeaderField: "Content-Type")?.lowercased().hasPrefix("multipart/") == true {
            request.setValue(nil, forHTTPHeaderField: "Content-Type")
        }
        return .change(request)
    }

    func learn(_ head: ResponseHead, _ history: inout TaskHistory) {
        guard storage != nil, let sent = history.chain.login else { return }
        var memory = history[Memory.self]
        guard let login = memory.login, login.password === sent else { return }
        switch head.status {
        case 401: refused(login, by: head, &memory, &history)
        // A gateway that fails says nothing about the credential, nor does a proxy that requests one of its own.
        case 407, 500...: break
        default: accepted(login, head, &memory, history)
        }
        history[Memory.self] = memory
    }

    func decide(on head: ResponseHead, _ history: inout TaskHistory) -> HopDecision {
        if head.status < 300 { return probesForDigest ? sendContent(&history) : .pass }
        guard head.status == 401, head.contains("WWW-Authenticate") else { return .pass }
        var memory = history[Memory.self]
        guard memory.challengeCount < Self.maximumChallengeCount else { return .pass }
        let challenges = HTTPChallenge.challenges(in: head.bytes(for: "WWW-Authenticate"))
        if memory.answers.value(history) < Self.maximumAnswerCount,
            let login = answer(to: challenges, &memory, history)
        {
            memory.answers.increment(history)
            history[Memory.self] = memory
            return .next(history.authenticate(by: login))
        }
        guard let origin = try? history.hop.request.destination.get().origin else { return .pass }
        return .ask(.challenge(question(about: challenges, of: origin, memory, history)))
    }

    /// The content goes to a server that requests no password.
    private func sendContent(_ history: inout TaskHistory) -> HopDecision {
        guard history.hop.request.body == nil, history.request.body != nil else { return .pass }
        history[Memory.self].openHop = history.hop.number
        return .resend(history.request)
    }

    /// An answer that needs no question; nil if there is none.
    private func answer(
        to challenges: [HTTPChallenge], _ memory: inout Memory, _ history: borrowing TaskHistory
    ) -> PasswordLogin? {
        let hop = history.hop
        let login = memory.login.flatMap { $0.password.belongs(to: hop.request) ? $0 : nil }
        let isAuthorized = isAuthorized(history)
        guard
            let answer = login.map({ ($0.password.credential, $0.persistence) })
                ?? ownCredential(for: hop, challenges, memory),
            let next = PasswordLogin(answer.credential, for: hop.request, answering: challenges, nonces),
            login?.password.isFollowed(by: next, wasSent: isAuthorized) ?? !isAuthorized,
            !memory.refuses(next.credential, for: next.space), next.canSign(history.subject)
        else { return nil }
        if login == nil { memory.countChallenge(of: next.origin) }
        memory.login = Login(password: next, persistence: answer.persistence)
        return next
    }

    /// The credential of the netrc file, of the request or of its URL. Where the URL has a name alone, the storage may
    /// have its password.
    private func ownCredential(for hop: Hop, _ challenges: [HTTPChallenge], _ memory: Memory) -> Answer? {
        if let credential = netrc?.credential(for: hop) { return (credential, Credential.Persistence.none) }
        guard hop.mayCarryCredentials else { return nil }
        if let credential = hop.request.credential { return (credential, Credential.Persistence.none) }
        guard let credential = hop.request.urlCredential else { return nil }
        if credential.passwordBytes.isEmpty, proposal(for: challenges, memory, hop) != nil { return nil }
        return (credential, Credential.Persistence.none)
    }

    /// The question to the delegate, with what the storage proposes.
    private func question(
        about challenges: [HTTPChallenge], of origin: HTTPOrigin, _ memory: Memory, _ history: borrowing TaskHistory
    ) -> ChallengeProposal {
        // Nothing takes the place of a field that the program, or a token, has put there.
        let isOwn = memory.challengeCount == 0 && isAuthorized(history)
        let stored = isOwn ? nil : proposal(for: challenges, memory, history.hop)
        let count = memory.challengeCounts[origin] ?? 0
        return ChallengeProposal(
            space: ProtectionSpace(origin, stored?.challenge ?? HTTPChallenge.preferred(among: challenges)),
            proposedCredential: stored?.credential, previousFailureCount: count
        ) { answer, history in
            self.request(with: answer, to: challenges, stored: count == 0 ? stored : nil, &history)
        }
    }

    /// What the storage has for the safest of the challenges for which it has anything that was not refused.
    private func proposal(for challenges: [HTTPChallenge], _ memory: Memory, _ hop: Hop) -> Proposal? {
        guard let storage, let origin = try? hop.request.destination.get().origin else { return nil }
        let given = hop.mayCarryCredentials ? hop.request.credential ?? hop.request.urlCredential : nil
        let user = given.flatMap { $0.passwordBytes.isEmpty ? $0.userBytes : nil }
        for challenge in HTTPChallenge.answerable(among: challenges) {
            let space = ProtectionSpace(origin, challenge)
            for credential in storage.proposals(for: space) {
                guard let password = credential.passwordCredential, user == nil || user == password.userBytes,
                    !memory.refuses(password, for: space),
                    PasswordLogin(password, for: hop.request, answering: [challenge]) != nil
                else { continue }
                return (credential, challenge)
            }
        }
        return nil
    }

    /// Whether the hop is sent with an `Authorization` field that is not the session's.
    private func isAuthorized(_ history: borrowing TaskHistory) -> Bool {
        let request = history.hop.request
        return history.chain.login?.belongs(to: request) ?? false
            || request.headers["Authorization"].map { $0 != defaultAuthorization } ?? false
    }

    /// The request with the delegate's answer; nil if there is none.
    private func request(
        with answer: ChallengeAnswer, to challenges: [HTTPChallenge], stored: Proposal?, _ history: inout TaskHistory
    ) -> URLRequest? {
        let login: Login
        switch answer {
        case .deliver: return nil
        case .authorization(let value):
            history[Memory.self].countChallenge(of: try? history.hop.request.destination.get().origin)
            var request = history.authenticate(by: nil)
            request.headers["Authorization"] = value
            return request
        case .performDefaultHandling:
            guard let stored, let credential = stored.credential.passwordCredential,
                let password = PasswordLogin(
                    credential, for: history.hop.request, answering: [stored.challenge], nonces)
            else { return nil }
            login = Login(password: password, persistence: nil)
        case .credential(let credential, let persistence):
            guard let password = PasswordLogin(credential, for: history.hop.request, answering: challenges, nonces)
            else { return nil }
            login = Login(password: password, persistence: persistence)
        }
        guard login.password.canSign(history.subject) else { return nil }
        history[Memory.self].countChallenge(of: login.password.origin)
        history[Memory.self].login = login
        return history.authenticate(by: login.password)
    }
}

// The storage
extension Authentication {
    /// Authenticates the hop with the password that was accepted within its space before, as the storage has it now,
    /// unless something else authenticates it.
    private func logIn(_ hop: Hop, _ history: inout TaskHistory) {
        if history.chain.login != nil, history[Memory.self].login?.isEarly == true {
            // Another target may be in another space, and the storage may have changed.
            history.chain.logIn(as: nil)
        }
        guard let storage, history.chain.login == nil, !hop.request.headers.contains("Authorization"),
            let destination = try? hop.request.destination.get(),
            let known = spaces.login(for: destination.origin, destination.originForm.text)
        else { return }
        let space = known.space
        let isOfURL = hop.mayCarryCredentials && hop.request.urlCredential == known.credential
        let stored = isOfURL ? nil : storage.credential(ofUser: known.credential.user, for: space)
        guard let credential = isOfURL ? known.credential : stored?.passwordCredential, isFor(hop, credential),
            !history[Memory.self].refuses(credential, for: space),
            let login = credential == known.credential ? known : known.with(credential), login.canSign(hop.request)
        else { return }
        history[Memory.self].login = Login(password: login, persistence: nil, isEarly: true)
        history.chain.logIn(as: login)
    }

    /// Whether nothing else names another user or password for the hop.
    private func isFor(_ hop: Hop, _ credential: PasswordCredential) -> Bool {
        let given = hop.mayCarryCredentials ? hop.request.credential ?? hop.request.urlCredential : nil
        guard let own = netrc?.credential(for: hop) ?? given else { return true }
        return own.userBytes == credential.userBytes
            && (own.passwordBytes.isEmpty || own.passwordBytes == credential.passwordBytes)
    }

    private func accepted(
        _ login: Login, _ head: ResponseHead, _ memory: inout Memory, _ history: borrowing TaskHistory
    ) {
        guard let destination = try? history.hop.request.destination.get() else { return }
        switch login.persistence {
        // It is in the storage.
        case nil: break
        // Only what URLs have is known to later requests.
        case Credential.Persistence.none?:
            if login.password.credential != history.hop.request.urlCredential { return }
        case let persistence?:
            storage?.accepted(
                Credential(login.password.credential, persistence: persistence), for: login.password.space)
            memory.login?.persistence = nil
        }
        let next = login.password.following(head.bytes(for: "Authentication-Info"))
        spaces.add(next ?? login.password, for: destination.originForm.text)
    }

    private func refused(
        _ login: Login, by head: ResponseHead, _ memory: inout Memory, _ history: inout TaskHistory
    ) {
        let (password, hop) = (login.password, history.hop)
        let challenges = HTTPChallenge.challenges(in: head.bytes(for: "WWW-Authenticate"))
        let next = PasswordLogin(password.credential, for: hop.request, answering: challenges)
        if let next, password.isFollowed(by: next, wasSent: true) { return }
        let isSameSpace = next.map { $0.space == password.space } ?? true
        // The challenge of another space says nothing about this one, nor does an answer to an older nonce that a server
        // does not call stale.
        if isSameSpace {
            spaces.remove(password)
            if !login.isEarly || next?.hasNonce(of: password) ?? true {
                memory.refusals.insert(Refusal(space: password.space, credential: password.credential))
            }
        }
        guard login.isEarly else { return }
        // The question, and the request's own credential, come as if nothing had been sent.
        memory.login = nil
        history.chain.logIn(as: nil)
    }
}

extension TaskHistory {
    /// Has this login authenticate the next hop, in place of what the request has itself. Returns the request of that hop.
    fileprivate mutating func authenticate(by login: PasswordLogin?) -> URLRequest {
        chain.logIn(as: login)
        var request = request
        if request.headers.contains("Authorization") { request.headers["Authorization"] = nil }
        return request
    }
}
