import ClientLib
import Foundation

struct TokenAdapter: RequestInterceptor {
    let token: @Sendable () async throws -> String

    func adapt(
        _ request: HTTPRequest, using state: RequestAdapterState
    ) async throws -> HTTPRequest {
        var request = request
        request.headers.update(name: "Authorization", value: "Bearer \(try await token())")
        return request
    }
}

func pinned(_ certificates: [ServerCertificate]) -> Session {
    Session(
        serverTrustManager: ServerTrustManager(evaluators: [
            "api.test": PinnedCertificatesTrustEvaluator(certificates: certificates),
            "*.static.test": DefaultTrustEvaluator(),
        ]))
}

struct EventLog: EventMonitor {
    func on(_ event: RequestEvent, for request: any ClientRequest) {
        if case .didFinish(let error) = event { print(request, error as Any) }
    }
}

func durations(_ session: Session) async {
    let response = await session.request("https://api.test/").serializingData().response
    print(response.timeline.latency, response.timeline.requestDuration)
    for attempt in response.timeline.attempts {
        print(attempt.dns as Any, attempt.connect as Any, attempt.tls as Any)
    }
}

func handling(_ error: ClientError) {
    switch error.kind {
    case .responseValidationFailed(.unacceptableStatusCode(let code)): print("status", code)
    case .network(.connectionRefused), .timedOut: print("try again later")
    default: print(error)
    }
}

func asCommand(_ request: DataRequest) {
    request.cURLDescription { print($0) }
}
