internal import ProxydHTTPModel
internal import Synchronization
public import ClientLib

/// Sends targets: creates requests from them, or answers with their samples.
public final class Provider<Target: TargetType>: Sendable {
    /// Creates a request from a target.
    public typealias EndpointClosure = @Sendable (Target) throws -> HTTPRequest
    /// Changes a request before it is first sent; may be slow, for example to fetch a token.
    public typealias RequestClosure = @Sendable (HTTPRequest) async throws -> HTTPRequest
    /// Decides whether a target is answered by its sample.
    public typealias StubClosure = @Sendable (Target) -> StubBehavior
    /// Returns the sample of a target.
    public typealias SampleClosure = @Sendable (Target) -> SampleResponse

    /// Creates requests from targets.
    public let endpointClosure: EndpointClosure
    /// Changes requests before they are first sent.
    public let requestClosure: RequestClosure
    /// Decides which targets are answered by samples.
    public let stubClosure: StubClosure
    /// Returns the samples.
    public let sampleClosure: SampleClosure
    /// The plugins that take part in every request, in this order.
    public let plugins: [any PluginType]
    /// Sends the requests.
    public let session: Session
    /// Whether a request joins an equal one that is under way.
    public let trackInflights: Bool
    let stubClock: any Clock<Duration>
    let inflights = Mutex<[InflightKey: TargetFlight]>([:])

    /// Creates a provider. Delayed stubs wait on `stubClock`.
    public init(
        endpointClosure: @escaping EndpointClosure = Provider.defaultEndpoint,
        requestClosure: @escaping RequestClosure = { $0 },
        stubClosure: @escaping StubClosure = Provider.neverStub,
        sampleClosure: @escaping SampleClosure = { $0.sample },
        session: Session = .default, plugins: [any PluginType] = [],
        trackInflights: Bool = false, stubClock: any Clock<Duration> = ContinuousClock()
    ) {
        self.endpointClosure = endpointClosure
        self.requestClosure = requestClosure
        self.stubClosure = stubClosure
        self.sampleClosure = sampleClosure
        self.session = session
        self.plugins = plugins
        self.trackInflights = trackInflights
        self.stubClock = stubClock
    }

    /// The request that the target describes.
    @Sendable public static func defaultEndpoint(_ target: Target) throws -> HTTPRequest {
        try target.endpoint()
    }

    /// The network answers every target.
    @Sendable public static func neverStub(_ target: Target) -> StubBehavior { .never }

    /// Every target's sample answers immediately.
    @Sendable public static func immediatelyStub(_ target: Target) -> StubBehavior { .immediate }

    /// Every target's sample answers after a delay.
    public static func delayedStub(_ delay: Duration) -> StubClosure {
        { _ in .delayed(delay) }
    }
}
