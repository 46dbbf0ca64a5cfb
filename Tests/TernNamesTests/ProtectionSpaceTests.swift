// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization
import TernAlamofire
import TernURLSessionNames
import Testing

@Suite struct ProtectionSpaceTests {
    private let space = URLProtectionSpace(
        host: "H.com", port: 80, protocol: NSURLProtectionSpaceHTTP, realm: "r",
        authenticationMethod: NSURLAuthenticationMethodHTTPBasic)

    @Test func `a space is made of texts, and has them`() {
        let method: String = space.authenticationMethod
        #expect(method == "NSURLAuthenticationMethodHTTPBasic" && space.authenticationMethod == method)
        #expect(space.host == "H.com" && space.port == 80 && space.realm == "r" && space.protocol == "http")
        switch space.authenticationMethod {
        case NSURLAuthenticationMethodHTTPBasic: break
        default: Issue.record("\(space.authenticationMethod)")
        }
        #expect(!space.isProxy() && !space.isProxy && space.proxyType == nil && space.distinguishedNames == nil)
        let least = URLProtectionSpace(host: "h", port: 0, protocol: nil, realm: nil, authenticationMethod: nil)
        #expect(least.authenticationMethod == NSURLAuthenticationMethodDefault)
        #expect(space.copy() as? URLProtectionSpace == space)
        #expect(
            space.description
                == "<URLProtectionSpace>: Host:H.com, Server:http, Auth-Scheme:NSURLAuthenticationMethodHTTPBasic, "
                + "Realm:r, Port:80, Proxy:NO, Proxy-Type:(null)")
    }

    // What FoundationNetworking prints, but for the address; behind the type of a proxy it has a comma.
    @Test func `the description is that of Foundation`() {
        let space = URLProtectionSpace(host: "h", port: 0, protocol: nil, realm: nil, authenticationMethod: "basic")
        #expect(
            "\(space)" == "<URLProtectionSpace>: Host:h, Server:(null), Auth-Scheme:NSURLAuthenticationMethodDefault, "
                + "Realm:(null), Port:0, Proxy:NO, Proxy-Type:(null)")
        let proxy = URLProtectionSpace(
            proxyHost: "px", port: 443, type: NSURLProtectionSpaceHTTPProxy, realm: "x",
            authenticationMethod: NSURLAuthenticationMethodHTTPDigest)
        #expect(
            proxy.debugDescription
                == "<URLProtectionSpace>: Host:px, Server:(null), Auth-Scheme:NSURLAuthenticationMethodHTTPDigest, "
                + "Realm:x, Port:443, Proxy:YES, Proxy-Type:NSURLProtectionSpaceHTTPProxy, ")
    }

    @Test func `a space that a program makes is that of a challenge`() {
        let storage = URLCredentialStorage()
        let credential = URLCredential(user: "u", password: "p", persistence: .forSession)
        storage.set(credential, for: space)
        #expect(
            storage.credentials(
                for: URLProtectionSpace(
                    host: "h.com", port: 80, protocol: "http", realm: "r", authenticationMethod: .httpBasic)
            ) == ["u": credential])
    }

    @Test func `a proxy has a space of its own`() {
        let proxy = URLProtectionSpace(
            proxyHost: "px", port: 3128, type: NSURLProtectionSpaceHTTPProxy, realm: "r", authenticationMethod: nil)
        #expect(proxy.isProxy() && proxy.proxyType == NSURLProtectionSpaceHTTPProxy && proxy.protocol == nil)
        #expect(!proxy.receivesCredentialSecurely)
        let server = URLProtectionSpace(host: "px", port: 3128, protocol: nil, realm: "r", authenticationMethod: nil)
        #expect(proxy != server)
        let types = [
            NSURLProtectionSpaceHTTPProxy, NSURLProtectionSpaceHTTPSProxy, NSURLProtectionSpaceFTPProxy,
            NSURLProtectionSpaceSOCKSProxy,
        ]
        #expect(Set(types).count == 4 && NSURLProtectionSpaceFTP == "ftp" && NSURLProtectionSpaceHTTPS == "https")
        #expect(NSURLAuthenticationMethodHTMLForm == "NSURLAuthenticationMethodHTMLForm")
    }

    @Test func `a credential is a value`() {
        let credential = URLCredential(user: "u", password: "p", persistence: .forSession)
        #expect(credential.user == "u" && credential.password == "p" && credential.hasPassword)
        #expect(credential == URLCredential(user: "u", password: "p", persistence: .forSession))
        #expect(credential != URLCredential(user: "u", password: "p", persistence: .permanent))
        #expect(credential.copy() as? URLCredential == credential && credential.persistence.rawValue == 1)
    }

    @Test func `the first credential of a space is its default, until another is made so`() {
        let storage = URLCredentialStorage()
        func user(_ name: String) -> URLCredential {
            URLCredential(user: name, password: "q", persistence: .forSession)
        }
        var defaults: [String] = []
        func step(_ body: () -> Void) {
            body()
            defaults.append(storage.defaultCredential(for: space)?.user ?? "-")
        }
        step { storage.set(user("u"), for: space) }
        step { storage.set(user("u2"), for: space) }
        step { storage.setDefaultCredential(user("u2"), for: space) }
        step { storage.setDefaultCredential(user("n"), for: space) }
        step { storage.remove(user("n"), for: space) }
        step { storage.remove(user("u"), for: space) }
        #expect(defaults == ["u", "u", "u2", "n", "-", "-"])
    }

    @Test func `a notification is posted when credentials change, and only then`() async {
        let (storage, fence) = (URLCredentialStorage(), URLCredentialStorage())
        let count = Mutex(0)
        let (fences, passed) = AsyncStream.makeStream(of: Void.self)
        let observer = NotificationCenter.default.addObserver(
            forName: .NSURLCredentialStorageChanged, object: nil, queue: nil
        ) { notification in
            let changed = notification.object as? URLCredentialStorage
            if changed === storage { count.withLock { $0 += 1 } }
            if changed === fence { passed.yield() }
        }
        defer { NotificationCenter.default.removeObserver(observer) }
        var counts: [Int] = []
        // Notifications come one after another.
        func step(_ body: () -> Void) async {
            let before = count.withLock { $0 }
            body()
            fence.set(user("fence", "\(counts.count)"), for: space)
            _ = await fences.first { true }
            counts.append(count.withLock { $0 } - before)
        }
        func user(_ name: String, _ password: String = "q", _ persistence: URLCredential.Persistence = .forSession)
            -> URLCredential
        { URLCredential(user: name, password: password, persistence: persistence) }
        await step { storage.set(user("u", "p"), for: space) }
        await step { storage.set(user("u", "p"), for: space) }
        await step { storage.set(user("u"), for: space) }
        await step { storage.set(user("u2"), for: space) }
        await step { storage.set(user("u3", "q", .none), for: space) }
        await step { storage.setDefaultCredential(user("u2"), for: space) }
        await step { storage.remove(user("zz"), for: space) }
        await step { storage.remove(user("u"), for: space) }
        #expect(counts == [1, 0, 1, 1, 0, 1, 0, 1])
    }
}
