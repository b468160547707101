// The code of the page on coming from Alamofire; `SnippetRunTests` runs it.
import ClientLib

enum AlamofireSnippets {
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

    struct EventLog: EventMonitor {
        func on(_ event: RequestEvent, for request: any ClientRequest) {
            if case .didFinish(let error) = event { print(request, error as Any) }
        }
    }

    static func pinned(_ certificates: [ServerCertificate]) -> Session {
        Session(
            serverTrustManager: ServerTrustManager(evaluators: [
                "api.test": PinnedCertificatesTrustEvaluator(certificates: certificates),
                "*.static.test": DefaultTrustEvaluator(),
            ]))
    }

    static func durations(_ session: Session) async {
        let response = await session.request("https://api.test/").serializingData().response
        print(response.timeline.latency, response.timeline.requestDuration)
        for attempt in response.timeline.attempts {
            print(attempt.dns as Any, attempt.connect as Any, attempt.tls as Any)
        }
    }

    static func handling(_ error: ClientError) {
        switch error.kind {
        case .responseValidationFailed(.unacceptableStatusCode(let code)): print("status", code)
        case .network(.connectionRefused), .timedOut: print("try again later")
        default: print(error)
        }
    }

    static func asCommand(_ request: DataRequest) {
        request.cURLDescription { print($0) }
    }
}
