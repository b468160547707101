// The code of the page on coming from Moya; `SnippetRunTests` runs it.
import ClientLib
import ProxydClientTargets

enum Books {
    case all
    case book(id: Int)
    case add(title: String)
}

extension Books: TargetType {
    var baseURL: RawURL { "https://api.test/v1" }
    var path: String {
        switch self {
        case .all: "books?sort=title"
        case .book(let id): "books/\(id)"
        case .add: "books"
        }
    }
    var method: HTTPMethod { if case .add = self { .post } else { .get } }
    var task: RequestTask {
        switch self {
        case .all, .book: .requestPlain
        case .add(let title): .requestJSONEncodable(["title": title])
        }
    }
    var headers: HeaderFields? { ["Accept": "application/json"] }
    var validationType: ValidationType { .successCodes }
}

struct Book: Decodable, Sendable {
    let title: String
}

struct Timing: PluginType {
    func willSend(_ request: PluginRequest, target: any TargetType) {
        print("attempt", request.attempt)
    }

    func didReceive(_ result: Result<TargetResponse, ClientError>, target: any TargetType) {
        if case .success(let response) = result { print(response.timeline.totalDuration) }
    }
}

enum MoyaSnippets {
    static func books(_ session: Session) async throws {
        let provider = Provider<Books>(session: session, plugins: [NetworkLoggerPlugin()])
        let book = try await provider.request(.book(id: 1)).map(Book.self)
        print(book.title)
    }

    static func stubbed(with exchange: Exchange) async throws {
        let provider = Provider<Books>(
            stubClosure: Provider.immediatelyStub, sampleClosure: { _ in .captured(exchange) })
        print(try await provider.request(.all).statusCode)
    }
}
