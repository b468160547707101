public import ProxydContentCoding
public import ProxydHTTPModel
internal import Glibc

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
    public var trustedAuthorities = TrustedAuthorities.system()
    /// Evaluates trust for each host, or nil to rely on the authorities only.
    public var serverTrustManager: ServerTrustManager?
    /// The certificates presented to servers that ask for one.
    public var clientCertificates = ClientCertificates.none
    /// The proxies for requests: none, `.proxyd(port:)`, `.environment()`, or others.
    public var proxy = ProxySettings.direct
    public var addressRules = AddressRules()
    public var decompressesResponses = true
    public var decodingLimits = DecodingLimits(decodedByteCountMax: 1 << 30)
    /// The largest body collected in memory, in bytes; a larger one fails with `.responseTooLarge`.
    public var maximumResponseByteCount = 1 << 30
    /// Bodies of at least this many bytes, or of unknown length, are sent only after the server
    /// agrees, as with `HTTPRequest.expectsContinue`; nil for no body.
    public var expectContinueByteCountMin: Int64?
    /// Whether `exchanges` keep the bytes of bodies that were decompressed, downloaded or streamed;
    /// bodies that are in memory anyway are always kept.
    public var recordsBodies = false

    public init(headers: HeaderFields = DefaultHeaders.fields) {
        self.headers = headers
    }

    public static var `default`: SessionConfiguration { SessionConfiguration() }
}

public enum DefaultHeaders {
    /// `Accept-Encoding`, `User-Agent`, and `Accept-Language` if the environment names a language.
    public static let fields: HeaderFields = {
        var fields = HeaderFields()
        fields.append(name: "Accept-Encoding", value: acceptEncoding)
        let language = acceptLanguage(of: environment("LANGUAGE") ?? environment("LANG") ?? "")
        if let language { fields.append(name: "Accept-Language", value: language) }
        fields.append(name: "User-Agent", value: userAgent)
        return fields
    }()

    /// Exactly the content codings that this library can decode.
    public static let acceptEncoding = "gzip, deflate, br, zstd"

    /// The names of the program and this library.
    public static let userAgent: String = {
        let path = CommandLine.arguments.first ?? ""
        let name = path.utf8.split(separator: UInt8(ascii: "/")).last.map(Array.init) ?? []
        let kept = name.filter {
            $0 > 0x20 && $0 < 0x7F && !"()<>@,;:\\\"/[]?={}".utf8.contains($0)
        }
        let program = kept.isEmpty ? "" : String(decoding: kept, as: UTF8.self) + " "
        return program + "ClientLib (Linux)"
    }()

    /// Converts `de_CH.UTF-8:fr` to `de-CH, fr;q=0.9`; nil if the text names no language.
    static func acceptLanguage(of variable: String) -> String? {
        let names = variable.split(separator: ":").compactMap { entry -> String? in
            let name = entry.prefix { $0 != "." && $0 != "@" }
            let isName = name.utf8.allSatisfy {
                ASCII.lowercased($0) &- 0x61 < 26 || $0 == UInt8(ascii: "_")
            }
            guard isName, name.utf8.count > 1, name != "POSIX" else { return nil }
            return String(name.map { $0 == "_" ? "-" : $0 })
        }
        guard !names.isEmpty else { return nil }
        return names.prefix(6).enumerated()
            .map { $0 == 0 ? $1 : "\($1);q=0.\(10 - $0)" }
            .joined(separator: ", ")
    }

    private static func environment(_ name: String) -> String? {
        guard let value = getenv(name), value.pointee != 0 else { return nil }
        return String(cString: value)
    }
}
