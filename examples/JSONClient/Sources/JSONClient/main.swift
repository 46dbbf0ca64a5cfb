// Creates a user by a JSON API and prints the server's answer: JSONClient https://api.example.com/ NAME
import Foundation
import Tern

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
let manager = SessionManager(configuration: configuration)

do {
    let user = try await manager.request(
        server + "users", method: .post, parameters: NewUser(name: name), encoder: JSONParameterEncoder.default
    )
    .validate()
    .serializingDecodable(User.self).value
    print("created \(user.name) with the number \(user.id)")
} catch let error as SessionError {
    print("the request failed: \(error)\(error.isSafeToRepeat ? "; it is safe to repeat" : "")")
    exit(1)
} catch {
    print("the server's answer is not what was expected: \(error)")
    exit(1)
}
