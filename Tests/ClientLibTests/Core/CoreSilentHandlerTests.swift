import ClientLib
import ProxydClientTestSupport
import Synchronization
import Testing

/// Handlers that never answer, in requests that are cancelled.
struct CoreSilentHandlerTests {
    /// Keeps completion handlers and never calls them.
    private final class Silence: RequestInterceptor {
        private let kept = Mutex<[@Sendable () -> Void]>([])
        let begun: AsyncStream<Void>
        private let beginning: AsyncStream<Void>.Continuation
        private let isAdapter: Bool

        init(isAdapter: Bool) {
            self.isAdapter = isAdapter
            (begun, beginning) = AsyncStream.makeStream(of: Void.self)
        }

        func keep(_ answer: @escaping @Sendable () -> Void) {
            kept.withLock { $0.append(answer) }
            beginning.yield()
        }

        /// Calls what was kept, so that no task stays.
        func end() {
            let answers = kept.withLock { kept in
                defer { kept = [] }
                return kept
            }
            for answer in answers { answer() }
        }

        func adapt(
            _ urlRequest: HTTPRequest, for session: Session,
            completion: @escaping @Sendable (Result<HTTPRequest, any Error>) -> Void
        ) {
            guard isAdapter else { return completion(.success(urlRequest)) }
            keep { completion(.success(urlRequest)) }
        }

        func retry(
            _ request: any ClientRequest, for session: Session, dueTo error: any Error,
            completion: @escaping @Sendable (RetryResult) -> Void
        ) {
            keep { completion(.doNotRetry) }
        }
    }

    private let session = Session(transport: AnsweringTransport())

    private func cancel(
        _ request: DataRequest, whenAsked silence: Silence
    ) async -> ClientError? {
        let task = request.serializingData()
        for await _ in silence.begun { break }
        request.cancel()
        defer { silence.end() }
        return await task.response.error
    }

    @Test(.timeLimit(.minutes(1)))
    func `a cancelled request ends even if its adapter never calls its completion handler`() async {
        let silence = Silence(isAdapter: true)
        let request = session.request("http://a.test/", interceptor: silence)
        #expect(await cancel(request, whenAsked: silence)?.kind == .explicitlyCancelled)
    }

    @Test(.timeLimit(.minutes(1)))
    func `a cancelled request ends even if its retrier never calls its completion handler`() async {
        let silence = Silence(isAdapter: false)
        let request = session.request("http://a.test/", interceptor: silence)
            .validate(statusCode: [201])
        #expect(await cancel(request, whenAsked: silence)?.kind == .explicitlyCancelled)
    }

    @Test(.timeLimit(.minutes(1)))
    func `a cancelled request ends even if its response head handler never calls back`() async {
        let silence = Silence(isAdapter: false)
        let request = session.request("http://a.test/").onHTTPResponse { _, completion in
            silence.keep { completion(.allow) }
        }
        #expect(await cancel(request, whenAsked: silence)?.kind == .explicitlyCancelled)
    }

    @Test(.timeLimit(.minutes(1)))
    func `a cancelled request ends even if its redirect handler never returns`() async throws {
        let server = try ScriptedServer { _ in
            ScriptedServer.response(302, "", headers: [("Location", "/b")])
        }
        let silence = Silence(isAdapter: false)
        let request = Session.default.request(server.url).redirect(
            using: .modify { proposed, _ in
                await withCheckedContinuation { continuation in
                    silence.keep { continuation.resume(returning: proposed) }
                }
            })
        #expect(await cancel(request, whenAsked: silence)?.kind == .explicitlyCancelled)
        #expect(server.received.count == 1)
    }
}
