internal import ProxydHTTPModel
internal import Synchronization
public import ClientLib

/// Sends targets: makes requests of them, or answers with their samples.
public final class Provider<Target: TargetType>: Sendable {
    /// Makes a request of a target.
    public typealias EndpointClosure = @Sendable (Target) throws -> HTTPRequest
    /// Changes a request before it is first sent; may take its time, such as to fetch a token.
    public typealias RequestClosure = @Sendable (HTTPRequest) async throws -> HTTPRequest
    /// Says whether a target is answered by its sample.
    public typealias StubClosure = @Sendable (Target) -> StubBehavior
    /// Gives the sample of a target.
    public typealias SampleClosure = @Sendable (Target) -> SampleResponse

    /// Makes requests of targets.
    public let endpointClosure: EndpointClosure
    /// Changes requests before they are first sent.
    public let requestClosure: RequestClosure
    /// Says which targets are answered by samples.
    public let stubClosure: StubClosure
    /// Gives the samples.
    public let sampleClosure: SampleClosure
    /// Takes part in every request, in this order.
    public let plugins: [any PluginType]
    /// Sends the requests.
    public let session: Session
    /// Whether a request joins one under way that is the same.
    public let trackInflights: Bool
    let stubClock: any Clock<Duration>
    let inflights = Mutex<[InflightKey: TargetFlight]>([:])

    /// A provider. Delayed stubs wait by `stubClock`.
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

    /// Every target is answered by the network.
    @Sendable public static func neverStub(_ target: Target) -> StubBehavior { .never }

    /// Every target is answered by its sample.
    @Sendable public static func immediatelyStub(_ target: Target) -> StubBehavior { .immediate }

    /// Every target is answered by its sample, after a while.
    public static func delayedStub(_ delay: Duration) -> StubClosure {
        { _ in .delayed(delay) }
    }
}
