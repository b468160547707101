public import ProxydContentCoding
public import ProxydHTTPModel

/// The settings of a session.
public struct SessionConfiguration: Sendable {
    /// Header fields added to requests that have no field of the same name.
    public var headers: HeaderFields
    /// Time limits of requests that set none.
    public var timeouts = Timeouts()
    /// The protocols to use with servers, in order of preference. Requests that a forward proxy
    /// handles without a tunnel always use HTTP/1.1.
    public var protocols: [HTTPProtocol] = [.http2, .http11]
    /// The largest number of HTTP/1.1 connections to one host and port, over all threads; further
    /// requests wait.
    public var maximumConnectionsPerHost = 8
    /// The largest number of concurrent HTTP/2 requests to one host and port, over one connection
    /// per thread; fewer if the server allows fewer streams.
    public var maximumStreamsPerHost = 100
    /// How long an idle connection is kept for the next request.
    public var idleConnectionTimeout: Duration = .seconds(30)
    /// The number of network threads; each has its own connections.
    public var eventLoopCount = 1
    /// Whether requests start when the first response handler is attached, or only with `resume()`.
    public var startRequestsImmediately = true
    /// Stores cookies between requests, or nil to neither store nor send any. A request's own
    /// `Cookie` field takes precedence.
    public var cookieStorage: CookieStorage? = CookieStorage()
    /// Answers challenges, and remembers the servers that accepted credentials.
    public var authentication = Authentication()
    /// The authorities trusted to identify servers.
    public var trustedAuthorities = TrustedAuthorities.system()
    /// Evaluates trust for each host, or nil to rely on the authorities only.
    public var serverTrustManager: ServerTrustManager?
    /// The certificates presented to servers that ask for one.
    public var clientCertificates = ClientCertificates.none
    /// The proxies for requests: none, `.proxyd(port:)`, `.environment()`, or others.
    public var proxy = ProxySettings.direct
    /// The addresses that connections may go to.
    public var addressRules = AddressRules()
    /// Whether content codings of responses are decoded.
    public var decompressesResponses = true
    /// Limits on the decompressed size.
    public var decodingLimits = DecodingLimits(decodedByteCountMax: 1 << 30)
    /// The largest body collected in memory, in bytes; a larger one fails with `.responseTooLarge`.
    public var maximumResponseByteCount = 1 << 30
    /// Bodies of at least this many bytes, or of unknown length, are sent only after the server
    /// agrees, as with `HTTPRequest.expectsContinue`; nil for no body.
    public var expectContinueByteCountMin: Int64?
    /// Whether `exchanges` keep the bytes of bodies that were decompressed, downloaded or streamed;
    /// bodies that are in memory anyway are always kept.
    public var recordsBodies = false

    /// Creates the default settings, with `DefaultHeaders.fields`.
    public init(headers: HeaderFields = DefaultHeaders.fields) {
        self.headers = headers
    }

    /// The default settings.
    public static var `default`: SessionConfiguration { SessionConfiguration() }
}
