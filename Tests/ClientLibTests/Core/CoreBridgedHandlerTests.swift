import ClientLib
import Foundation
import ProxydClientTestSupport
import Testing

/// Interceptors and serializers that are asked in the other of their forms.
struct CoreBridgedHandlerTests {
    /// Asks another interceptor, as code that was written for Alamofire does.
    private struct Wrapper: RequestInterceptor {
        let inner: any RequestInterceptor

        func adapt(
            _ urlRequest: HTTPRequest, for session: Session,
            completion: @escaping @Sendable (Result<HTTPRequest, any Error>) -> Void
        ) {
            inner.adapt(urlRequest, for: session, completion: completion)
        }

        func retry(
            _ request: any ClientRequest, for session: Session, dueTo error: any Error,
            completion: @escaping @Sendable (RetryResult) -> Void
        ) {
            inner.retry(request, for: session, dueTo: error, completion: completion)
        }
    }

    /// Passes on the state too.
    private struct StateWrapper: RequestInterceptor {
        let inner: any RequestInterceptor

        func adapt(
            _ urlRequest: HTTPRequest, using state: RequestAdapterState,
            completion: @escaping @Sendable (Result<HTTPRequest, any Error>) -> Void
        ) {
            inner.adapt(urlRequest, using: state, completion: completion)
        }
    }

    /// Writes nothing of its own.
    private struct Idle: RequestInterceptor {}

    private let transport: AnsweringTransport
    private let session: Session

    init() {
        transport = AnsweringTransport { _, number in (number == 1 ? 503 : 200, [0x6F]) }
        session = Session(transport: transport)
    }

    private func outcome(
        _ interceptor: any RequestInterceptor
    ) async -> DataResponse<String> {
        await session.request("http://a.test/", interceptor: interceptor)
            .validate().serializingString().response
    }

    @Test func `a retry policy called by a wrapping interceptor decides whether to retry`() async {
        var policy = RetryPolicy()
        policy.exponentialBackoffScale = 0
        #expect(await outcome(Wrapper(inner: policy)).value == "o")
        #expect(transport.sent.count == 2)
    }

    @Test func `a retrier nested in wrapped interceptors decides whether to retry`() async {
        let inner = Interceptor(retriers: [Retrier { _, _, _ in .retry }])
        #expect(await outcome(Wrapper(inner: Wrapper(inner: inner))).value == "o")
    }

    @Test func `an adapter called by a wrapping interceptor changes the request`() async {
        let adapter = Adapter { request, _ in
            var request = request
            request.fields.append(name: "X-Count", value: "1")
            return request
        }
        for wrapper: any RequestInterceptor in [
            Wrapper(inner: adapter), StateWrapper(inner: adapter),
            StateWrapper(inner: Wrapper(inner: Interceptor(adapters: [adapter]))),
        ] {
            _ = await outcome(wrapper)
            #expect(transport.sent.last?.head.fields["X-Count"] == "1")
        }
    }

    @Test func `an interceptor that implements no method does not change or retry the request`()
        async
    {
        let response = await outcome(Wrapper(inner: Idle()))
        #expect(response.response?.status == 503)
        #expect(transport.sent.count == 1)
    }

    // MARK: Serializers

    /// Its method fits no requirement: the bytes are not `Data`.
    private struct NearMiss: ResponseSerializer {
        typealias Output = String

        func serialize(
            request: HTTPRequest?, response: ResponseHead?, data: [UInt8]?, error: (any Error)?
        ) throws -> String { "never" }
    }

    private struct Counter: ResponseSerializer {
        func serialize(_ input: SerializationInput) throws -> Int { input.data?.count ?? 0 }
    }

    @Test
    func `a serializer that implements no protocol requirement fails and names the missing method`()
        async
    {
        let response = await session.request("http://a.test/")
            .serializing(NearMiss()).response
        #expect(response.error?.kind == .responseSerializationFailed(.custom))
        let message = response.error?.message ?? ""
        #expect(message.contains("NearMiss") && message.contains("serialize(_ input:"))
        #expect(throws: ClientError.self) {
            try NearMiss().serialize(
                request: nil, response: nil, data: Data("x".utf8), error: nil)
        }
    }

    @Test
    func `a serializer that takes a SerializationInput also has Alamofire's serialize method`()
        throws
    {
        let count = try Counter().serialize(
            request: nil, response: nil, data: Data("abc".utf8), error: nil)
        #expect(count == 3)
    }
}
