// Creates a user by a JSON API and prints the server's answer: JSONClient https://api.example.com/ NAME
import Foundation
import TernEngine

struct NewUser: Encodable, Sendable {
    let name: String
}

struct User: Decodable, Sendable {
    let id: Int
    let name: String
}

guard CommandLine.arguments.count == 3 else {
    print("usage: JSONClient URL NAME")
    exit(2)
}
let (server, name) = (CommandLine.arguments[1], CommandLine.arguments[2])

var configuration = SessionConfiguration.default
configuration.timeouts = Timeouts(connect: .seconds(3), total: .seconds(10))
let session = Session(configuration: configuration)

do {
    let user: User = try await session.decoded(for: .post(server + "users", json: NewUser(name: name)))
    print("created \(user.name) with the number \(user.id)")
} catch let error as SessionError {
    // A refused status has the beginning of the server's answer, and says so.
    print("failed: \(error)\(error.isSafeToRepeat ? "; it is safe to repeat" : "")")
    exit(1)
} catch {
    print("this cannot be requested: \(error)")
    exit(2)
}
