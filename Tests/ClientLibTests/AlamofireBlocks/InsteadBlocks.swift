import ClientLib
import Foundation

// What is written instead of the blocks that do not compile as they are. ComingFromAlamofire.md has
// a row for each, with the reason.

extension BlockRun {
    func readme1Instead() async {
        let answer = await AF.request("\(base)/1", interceptor: .retryPolicy)
            .authenticate(username: "ada", password: "pw")
            .redirect(using: .follow)
            .validate()
            .cURLDescription { command in print(command) }
            .serializingDecodable(Greeting.self)
            .response
        debugPrint(answer)
    }

    func usage2Instead() {
        let session = Session(startRequestsImmediately: false)
        let request = session.request(
            "\(base)/2", method: .post, parameters: Greeting(name: "Ada"),
            encoder: JSONParameterEncoder.default, headers: ["X-Colour": "red"],
            interceptor: .retryPolicy, requestModifier: { $0.timeoutInterval = 9 })
        keep(request.isInitialized)
    }

    func usage3Instead() throws {
        let session = Session(startRequestsImmediately: false)
        let wish = URLRequest(url: try url("/3"))
        keep(session.request(wish, interceptor: .retryPolicy).isInitialized)
    }

    func usage9Instead() {
        AF.request("\(base)/9") { request in request.timeoutInterval = 9 }.response { _ in }
    }

    func usage31Instead() {
        let request = AF.request("\(base)/31")
        request.response(queue: .global()) { print($0) }
        request.response(queue: .global(), responseSerializer: .json) { print($0) }
        request.responseData(
            queue: .global(), dataPreprocessor: PassthroughPreprocessor(),
            emptyResponseCodes: [204], emptyRequestMethods: [.head]
        ) { answer in print(answer.value.map { Data($0) } as Any) }
        request.responseString(
            queue: .global(), dataPreprocessor: PassthroughPreprocessor(), charset: .utf8,
            emptyResponseCodes: [204], emptyRequestMethods: [.head]
        ) { print($0) }
        request.responseDecodable(
            of: Greeting.self, queue: .global(), dataPreprocessor: PassthroughPreprocessor(),
            decoder: JSONDecoder(), emptyResponseCodes: [204], emptyRequestMethods: [.head]
        ) { print($0) }
    }

    func usage46Instead() async {
        let download = AF.download("\(base)/slow").responseData { print($0.result) }
        let resumeData = await withCheckedContinuation { continuation in
            download.cancel { continuation.resume(returning: $0) }
        }
        if let resumeData {
            AF.download(resumingWith: resumeData).responseData { print($0.result) }
        }
    }

    func usage61Instead() async throws {
        for try await data in AF.streamRequest("\(base)/61").streamingData() { print(data.count) }
    }

    func advanced3Instead() {
        let session = Session(
            configuration: .default, startRequestsImmediately: true, interceptor: .retryPolicy,
            serverTrustManager: nil, redirectHandler: .follow, eventMonitors: [EventLog()])
        keep(session.configuration.startRequestsImmediately)
    }

    func advanced4Instead() {
        var configuration = SessionConfiguration.default
        configuration.timeouts.idle = .seconds(9)
        let session = Session(configuration: configuration)
        keep(session.configuration.timeouts.idle == .seconds(9))
    }

    func advanced9Instead() throws {
        let certificates: [ServerCertificate] = []
        let manager = ServerTrustManager(evaluators: [
            "a.test": PinnedCertificatesTrustEvaluator(certificates: certificates)
        ])
        keep(Session(serverTrustManager: manager).configuration.serverTrustManager === manager)
    }

    func advanced12Instead() {
        let monitor = ClosureEventMonitor { event, request in
            if case .didCompleteAttempt(_, let error) = event { print(request, error as Any) }
        }
        let session = Session(eventMonitors: [monitor])
        start(session.request("\(base)/12"))
    }

    func advanced23Instead() {
        AF.request("\(base)/23").onURLRequestCreation { print($0) }.response { _ in }
    }

    func advanced39Instead() {
        start(
            AF.request("\(base)/39", interceptor: Interceptor(retriers: [PatientRetrier(limit: 1)]))
        )
    }

    func advanced51Instead() {
        let evaluators: [String: any ServerTrustEvaluating] = [
            "a.test": PinnedCertificatesTrustEvaluator(certificates: []),
            "*.b.test": PublicKeysTrustEvaluator(certificates: []),
            "c.test": OneHostEvaluator(),
        ]
        keep(
            (try? ServerTrustManager(evaluators: evaluators).serverTrustEvaluator(
                forHost: "x.b.test")) != nil)
    }

    func advanced57Instead() {
        let redirector = Redirector(
            behavior: .modify { proposed, response in
                response.statusCode == 301 ? proposed : nil
            })
        AF.request("\(base)/57").redirect(using: redirector).response { _ in }
    }

    func advanced59() {
        let log = EventLog()
        let session = Session(eventMonitors: [log])
        start(session.request("\(base)/59"))
    }

    func advanced88Instead() {
        let manager = NetworkReachabilityManager()
        manager.startListening(onQueue: .global()) { status in print(status) }
        manager.stopListening()
    }
}

/// Instead of block 50 of AdvancedUsage.md.
struct OneHostEvaluator: ServerTrustEvaluating {
    func evaluate(_ trust: ServerTrust, forHost host: String) throws {
        try trust.performValidation(forHost: host)
    }
}

/// Instead of block 56 of AdvancedUsage.md.
struct NoLeaving: RedirectHandler {
    func redirect(
        _ proposed: RedirectRequest, for response: HTTPURLResponse
    ) async -> RedirectRequest? { proposed.url.host.hasSuffix(".test") ? proposed : nil }
}

/// Instead of block 58 of AdvancedUsage.md.
final class EventLog: EventMonitor {
    func on(_ event: RequestEvent, for request: any ClientRequest) {
        switch event {
        case .didResume: print("resumed", request)
        case .didParse(let error): debugPrint("parsed", request, error as Any)
        default: break
        }
    }
}

/// Instead of block 65 of AdvancedUsage.md.
struct ByteCount: ResponseSerializer {
    func serialize(_ input: SerializationInput) throws -> Int { input.data?.count ?? 0 }
}
