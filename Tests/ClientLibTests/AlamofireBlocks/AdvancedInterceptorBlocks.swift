import ClientLib
import Foundation

// Blocks 36 to 63 of Alamofire 5.12's AdvancedUsage.md: interceptors, trust, routers.

/// Blocks 36 and 37.
struct TokenAdapter: RequestInterceptor {
    let token: String

    func adapt(
        _ urlRequest: URLRequest, for session: Session,
        completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
    ) {
        var urlRequest = urlRequest
        urlRequest.headers.add(.authorization(bearerToken: token))
        completion(.success(urlRequest))
    }
}

/// Block 38.
struct NumberAdapter: RequestAdapter {
    func adapt(
        _ urlRequest: URLRequest, using state: RequestAdapterState,
        completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
    ) {
        var urlRequest = urlRequest
        urlRequest.headers.update(name: "X-Number", value: "\(state.requestID)")
        completion(.success(urlRequest))
    }
}

/// What is written instead of blocks 39 and 41: a request is any `ClientRequest`.
struct PatientRetrier: RequestRetrier {
    let limit: Int

    func retry(
        _ request: any ClientRequest, for session: Session, dueTo error: any Error,
        completion: @escaping @Sendable (RetryResult) -> Void
    ) {
        guard request.retryCount < limit, request.request?.method == .get,
            request.response?.statusCode == 503
        else { return completion(.doNotRetry) }
        completion(.retryWithDelay(pow(2, Double(request.retryCount)) * 0.001))
    }
}

/// Block 43.
struct Ticket: AuthenticationCredential {
    let token: String
    let renewal: String
    let expiry: Date

    var requiresRefresh: Bool { Date(timeIntervalSinceNow: 30) > expiry }
}

/// Block 44.
final class TicketOffice: Authenticator {
    func apply(_ credential: Ticket, to urlRequest: inout URLRequest) {
        urlRequest.headers.add(.authorization(bearerToken: credential.token))
    }

    func refresh(
        _ credential: Ticket, for session: Session,
        completion: @escaping @Sendable (Result<Ticket, any Error>) -> Void
    ) {
        let next = Ticket(
            token: credential.renewal, renewal: "", expiry: Date(timeIntervalSinceNow: 900))
        completion(.success(next))
    }

    func didRequest(
        _ urlRequest: URLRequest, with response: HTTPURLResponse,
        failDueToAuthenticationError error: any Error
    ) -> Bool { response.statusCode == 401 }

    func isRequest(
        _ urlRequest: URLRequest, authenticatedWith credential: Ticket
    ) -> Bool {
        let field = HTTPHeader.authorization(bearerToken: credential.token).value
        return urlRequest.headers["Authorization"] == field
    }
}

/// Block 62.
enum Road: URLRequestConvertible {
    case read(String), write(String)

    var method: HTTPMethod {
        switch self {
        case .read: return .get
        case .write: return .post
        }
    }

    var place: String {
        switch self {
        case .read(let base), .write(let base): base
        }
    }

    func asURLRequest() throws -> URLRequest {
        guard let base = URL(string: place) else { throw BlockRun.Halt() }
        var request = URLRequest(url: base.appendingPathComponent("62"))
        request.method = method
        return request
    }
}

/// Block 63.
enum ValueRoad: URLRequestConvertible {
    case read(String, [String: String]), write(String, [String: String])

    func asURLRequest() throws -> URLRequest {
        switch self {
        case let .read(place, values):
            return try URLEncodedFormParameterEncoder().encode(
                values, into: try Road.read(place).asURLRequest())
        case let .write(place, values):
            return try JSONParameterEncoder().encode(
                values, into: try Road.write(place).asURLRequest())
        }
    }
}

extension BlockRun {
    func advanced36() { start(AF.request("\(base)/36", interceptor: TokenAdapter(token: "t"))) }

    func advanced37() async {
        let adapter = TokenAdapter(token: "t")
        let sent = await AF.request("\(base)/37", interceptor: adapter).serializingData().response
        keep(sent.request?.headers["Authorization"] == "Bearer t")
    }

    func advanced38() async {
        let adapter = Interceptor(adapters: [NumberAdapter()])
        let sent = await AF.request("\(base)/38", interceptor: adapter).serializingData().response
        keep(sent.request?.value(forHTTPHeaderField: "x-number") != nil)
    }

    func advanced40() {
        let answers: [RetryResult] = [
            .retry, .retryWithDelay(0.5), .doNotRetry, .doNotRetryWithError(Halt()),
        ]
        keep(answers.count == 4)
    }

    func advanced42() {
        let pair = Interceptor(adapter: NumberAdapter(), retrier: PatientRetrier(limit: 1))
        let all = Interceptor(interceptors: [pair, TokenAdapter(token: "t")])
        start(AF.request("\(base)/42", interceptor: all))
    }

    func advanced43() {
        let ticket = Ticket(token: "a", renewal: "b", expiry: Date(timeIntervalSinceNow: 3_600))
        keep(!ticket.requiresRefresh)
    }

    func advanced44() { keep(TicketOffice() === TicketOffice() ? false : true) }

    func advanced45() async throws {
        let ticket = Ticket(token: "old", renewal: "new", expiry: Date(timeIntervalSinceNow: 1))
        let interceptor = AuthenticationInterceptor(
            authenticator: TicketOffice(), credential: ticket)
        let session = Session()
        let urlRequest = URLRequest(url: try url("/45"))
        let answer = await session.request(urlRequest, interceptor: interceptor)
            .serializingData().response
        keep(answer.request?.headers["Authorization"] == "Bearer new")
    }

    func advanced46() {
        start(AF.request("\(base)/46", method: .post, interceptor: .deflateCompressor))
    }

    func advanced47() {
        let choices: [DeflateRequestCompressor.DuplicateHeaderBehavior] = [.error, .replace, .skip]
        keep(choices.count == 3)
    }

    func advanced48() {
        start(
            AF.request(
                "\(base)/48", method: .post,
                interceptor: .deflateCompressor(duplicateHeaderBehavior: .replace)))
    }

    func advanced49() {
        let compressor = DeflateRequestCompressor { body in body.count > 4_096 }
        let session = Session(interceptor: compressor)
        keep(session.configuration.startRequestsImmediately)
    }

    func advanced60() throws {
        let text = "\(base)/60"
        start(AF.request(text))
        let url = try url("/60")
        start(AF.request(url))
        if let parts = URLComponents(url: url, resolvingAgainstBaseURL: true) {
            start(AF.request(parts))
        }
    }

    func advanced61() throws {
        var wish = URLRequest(url: try url("/61"))
        wish.method = .post
        wish.httpBody = try JSONEncoder().encode(["word": "tea"])
        wish.headers.add(.contentType("application/json"))
        start(AF.request(wish))
    }

    func advanced62() {
        start(AF.request(Road.read(base)))
        start(AF.request(Road.write(base)))
    }

    func advanced63() {
        start(AF.request(ValueRoad.read(base, ["word": "tea"])))
        start(AF.request(ValueRoad.write(base, ["word": "tea"])))
    }
}
