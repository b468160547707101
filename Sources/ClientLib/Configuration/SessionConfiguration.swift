public import ProxydContentCoding
public import ProxydHTTPModel

/// How a session behaves.
public struct SessionConfiguration: Sendable {
    /// Header fields that are sent where a request has none of the name.
    public var headers: HeaderFields
    /// Time limits of requests that name none.
    public var timeouts = Timeouts()
    /// What is spoken with servers, most wanted first. Requests to a forward proxy in place of a
    /// server are HTTP/1.1 always.
    public var protocols: [HTTPProtocol] = [.http2, .http11]
    /// Connections of HTTP/1.1 to one host and port at the same time, on whichever thread; more
    /// requests wait their turn.
    public var maximumConnectionsPerHost = 8
    /// Requests to one host and port that speaks HTTP/2 at the same time, over one connection of
    /// each thread. Where the server allows fewer streams, fewer.
    public var maximumStreamsPerHost = 100
    /// How long a connection is kept for the next request.
    public var idleConnectionTimeout: Duration = .seconds(30)
    /// Threads that serve the network; each has connections of its own.
    public var eventLoopCount = 1
    /// Whether requests start when the first response handler is attached, or only on `resume()`.
    public var startRequestsImmediately = true
    /// Where cookies are kept between requests; nil to neither keep nor send any. A request's own
    /// `Cookie` field goes before them.
    public var cookieStorage: CookieStorage? = CookieStorage()
    /// How challenges are answered, and what is known of servers that took an answer.
    public var authentication = Authentication()
    /// Whose word is taken for who servers are.
    public var trustedAuthorities = TrustedAuthorities.system()
    /// Who judges servers, host by host; nil for the authorities alone.
    public var serverTrustManager: ServerTrustManager?
    /// What is shown to servers that ask for a certificate.
    public var clientCertificates = ClientCertificates.none
    /// Which proxies requests go through: none, `.proxyd(port:)`, `.environment()`, or others.
    public var proxy = ProxySettings.direct
    /// Which addresses are connected to.
    public var addressRules = AddressRules()
    /// Whether content codings of responses are undone.
    public var decompressesResponses = true
    /// Bounds on what decompression may give.
    public var decodingLimits = DecodingLimits(decodedByteCountMax: 1 << 30)
    /// The largest body that is collected in memory; a larger one fails with `.responseTooLarge`.
    public var maximumResponseByteCount = 1 << 30
    /// Bodies of at least so many bytes, or of a length that no one knows, are sent only when the
    /// server wants them, as with `HTTPRequest.expectsContinue`; nil for none.
    public var expectContinueByteCountMin: Int64?
    /// Whether `exchanges` keep the bytes of bodies that were decompressed, downloaded or
    /// streamed; those in memory anyway are always kept.
    public var recordsBodies = false

    /// The defaults, with `DefaultHeaders.fields`.
    public init(headers: HeaderFields = DefaultHeaders.fields) {
        self.headers = headers
    }

    /// The defaults.
    public static var `default`: SessionConfiguration { SessionConfiguration() }
}
