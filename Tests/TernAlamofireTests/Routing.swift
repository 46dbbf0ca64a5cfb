// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernAlamofire
import TestProofs
import Testing

extension UserLocation: URLConvertible {
    static let baseURLString = "https://example.com"

    func asURL() throws -> URL {
        let urlString = UserLocation.baseURLString + "/users/\(username)/"
        return try urlString.asURL()
    }
}

struct UserLocation {
    let username: String
}

enum Router: URLRequestConvertible {
    case createUser(parameters: Parameters)
    case readUser(username: String)
    case search(query: String, page: Int)

    static let baseURLString = "https://example.com"
    static let perPage = 50

    var method: HTTPMethod {
        switch self {
        case .createUser:
            return .post
        case .readUser, .search:
            return .get
        }
    }

    var path: String {
        switch self {
        case .createUser:
            return "/users"
        case .readUser(let username):
            return "/users/\(username)"
        case .search:
            return "/search"
        }
    }

    func asURLRequest() throws -> URLRequest {
        let url = try Router.baseURLString.asURL()
        var urlRequest = URLRequest(url: url.appendingPathComponent(path))
        urlRequest.httpMethod = method.rawValue

        switch self {
        case .createUser(let parameters):
            urlRequest = try URLEncoding.default.encode(urlRequest, with: parameters)
        case let .search(query, page) where page > 0:
            urlRequest = try URLEncoding.default.encode(
                urlRequest, with: ["q": query, "offset": Router.perPage * page])
        default:
            break
        }
        return urlRequest
    }
}

struct JSONStringArrayEncoding: ParameterEncoding {
    private let array: [String]

    init(array: [String]) {
        self.array = array
    }

    func encode(_ urlRequest: URLRequestConvertible, with parameters: Parameters?) throws -> URLRequest {
        var urlRequest = try urlRequest.asURLRequest()
        let data = try JSONSerialization.data(withJSONObject: array, options: [])
        if urlRequest.value(forHTTPHeaderField: "Content-Type") == nil {
            urlRequest.setValue("application/json", forHTTPHeaderField: "Content-Type")
        }
        urlRequest.httpBody = data
        return urlRequest
    }
}

@Suite struct Routing {
    private let manager: SessionManager = {
        let manager = SessionManager()
        manager.startRequestsImmediately = false
        return manager
    }()

    @Test(.proves("9.2a")) func `a router's cases are requests`() throws {
        #expect(
            manager.request(Router.search(query: "foo bar", page: 1)).request?.url?.absoluteString
                == "https://example.com/search?offset=50&q=foo%20bar")
        let create = try Router.createUser(parameters: ["name": "x"]).asURLRequest()
        #expect(create.httpMethod == "POST" && create.httpBody == Data("name=x".utf8))
        #expect(Router.readUser(username: "y").urlRequest?.url?.path == "/users/y")
    }

    @Test(.proves("9.1a")) func `what makes a URL can be requested`() {
        let request = manager.request(UserLocation(username: "mattt"))
        #expect(request.request?.url?.absoluteString == "https://example.com/users/mattt/")
    }

    @Test(.proves("9.10a")) func `an encoding of one's own`() throws {
        let request = manager.request(
            "https://example.com/", method: .post, encoding: JSONStringArrayEncoding(array: ["a"]))
        #expect(request.request?.httpBody == Data(#"["a"]"#.utf8))
    }
}
