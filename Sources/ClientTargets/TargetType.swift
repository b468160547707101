public import ClientLib
public import ProxydHTTPModel
internal import ProxydParameterCoding
internal import Foundation

/// A request that a server supports: its location, the data to send and the responses to accept.
///
/// Usually an enum with a case for each request, sent by a `Provider`.
public protocol TargetType: Sendable {
    /// The common start of the URLs of all targets of the server; may have a path and a query.
    var baseURL: RawURL { get }
    /// The path after that of `baseURL`; may be empty. A `?` starts a query. Characters that are
    /// not allowed in a URL are percent-encoded; existing escapes are kept.
    var path: String { get }
    var method: HTTPMethod { get }
    var task: RequestTask { get }
    var headers: HeaderFields? { get }
    /// The body of a stub's response, with status 200.
    var sampleData: [UInt8] { get }
    var sample: SampleResponse { get }
    var validationType: ValidationType { get }
}

extension TargetType {
    public var sampleData: [UInt8] { [] }
    public var sample: SampleResponse { .networkResponse(200, sampleData) }
    public var validationType: ValidationType { .none }

    /// The request for the target; with `replacing`, the one with another task.
    /// - Throws: `.parameterEncodingFailed` with the error of an encoding or encoder.
    public func endpoint(replacing task: RequestTask? = nil) throws(ClientError) -> HTTPRequest {
        let request = HTTPRequest(
            method: method, url: TargetURL.joined(baseURL, path: path),
            fields: headers ?? HeaderFields())
        do {
            return try (task ?? self.task).applied(to: request)
        } catch {
            throw .wrapping(error, as: .parameterEncodingFailed)
        }
    }
}

extension RequestTask {
    func applied(to request: HTTPRequest) throws -> HTTPRequest {
        switch self {
        case .requestPlain, .downloadDestination: return request
        case .requestData(let bytes): return request.carrying(.bytes(bytes))
        case .requestJSONEncodable(let value):
            return try JSONParameterEncoder.default.encode(value, into: request)
        case .requestCustomJSONEncodable(let value, let encoder):
            return try JSONParameterEncoder { encoder }.encode(value, into: request)
        case .requestParameters(let parameters, let encoding),
            .downloadParameters(let parameters, let encoding, _):
            return try encoding.encode(request, with: parameters)
        case .requestCompositeData(let bytes, let urlParameters):
            return try request.carrying(.bytes(bytes)).asking(urlParameters)
        case .requestCompositeParameters(let parameters, let encoding, let urlParameters):
            let encoded = try encoding.encode(request, with: parameters)
            guard !encoded.body.isNone, encoded.url == request.url else {
                throw ParameterEncodingError.bodyEncodingMakesNoBody
            }
            return try encoded.asking(urlParameters)
        case .uploadFile(let url):
            return request.carrying(.file(path: url.path(percentEncoded: false)))
        case .uploadMultipart(let form): return request.carrying(.multipart(form))
        case .uploadCompositeMultipart(let form, let urlParameters):
            return try request.carrying(.multipart(form)).asking(urlParameters)
        }
    }
}

extension HTTPRequest {
    fileprivate func carrying(_ body: HTTPBody) -> HTTPRequest {
        var request = self
        request.body = body
        return request
    }

    fileprivate func asking(_ parameters: Parameter) throws -> HTTPRequest {
        try URLEncoding.queryString.encode(self, with: parameters)
    }
}

enum TargetURL {
    /// The base's path, one `/` and the path, followed by both queries. An invalid base is
    /// unchanged: sending to it fails.
    static func joined(_ base: RawURL, path text: String) -> RawURL {
        guard !text.isEmpty, !base.scheme.isEmpty else { return base }
        let bytes = Array(text.utf8)
        let mark = bytes.firstIndex(of: UInt8(ascii: "?")) ?? bytes.endIndex
        var origin = joined(Array(base.path), escaped(bytes[..<mark], in: pathBytes))
        if let query = base.query { origin += [UInt8(ascii: "?")] + query }
        let query = escaped(bytes[mark...].dropFirst(), in: queryBytes)
        origin = URLQuery.joined(origin, with: query)
        return RawURL(scheme: base.scheme, host: base.host, port: base.port, origin: origin)
    }

    private static func joined(_ base: [UInt8], _ path: [UInt8]) -> [UInt8] {
        guard let first = path.first else { return base }
        let slash = UInt8(ascii: "/")
        switch (base.last == slash, first == slash) {
        case (true, true): return base + path.dropFirst()
        case (false, false): return base + [slash] + path
        default: return base + path
        }
    }

    /// Percent-encodes characters that the grammar does not allow (RFC 3986 §3.3, §3.4), and a `%`
    /// that starts no escape.
    private static func escaped(_ bytes: ArraySlice<UInt8>, in allowed: Set<UInt8>) -> [UInt8] {
        var escaped: [UInt8] = []
        escaped.reserveCapacity(bytes.count)
        for (index, byte) in zip(bytes.indices, bytes) {
            let isEscape = byte == UInt8(ascii: "%") && isHexPair(bytes[(index + 1)...].prefix(2))
            if isEscape || allowed.contains(byte) {
                escaped.append(byte)
            } else {
                PercentEncoding.append(byte, to: &escaped)
            }
        }
        return escaped
    }

    private static func isHexPair(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.count == 2
            && bytes.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit && $0 < 0x80 }
    }

    private static let pathBytes = Set(
        ("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789" + "-._~!$&'()*+,;=:@/")
            .utf8)
    private static let queryBytes = pathBytes.union([UInt8(ascii: "?")])
}

/// The statuses that a target accepts; others become errors.
public enum ValidationType: Sendable, Hashable {
    /// Accepts every status.
    case none
    /// Accepts 200…299.
    case successCodes
    /// Accepts 200…399.
    case successAndRedirectCodes
    /// Accepts these statuses; an empty list is the same as `none`.
    case customCodes([Int])

    /// The accepted statuses; empty means every status.
    public var statusCodes: [Int] {
        switch self {
        case .none: []
        case .successCodes: Array(200..<300)
        case .successAndRedirectCodes: Array(200..<400)
        case .customCodes(let codes): codes
        }
    }
}

/// Wraps any target, for a provider that sends targets of several types.
public enum MultiTarget: TargetType {
    case target(any TargetType)

    public init(_ target: any TargetType) { self = .target(target) }

    public var target: any TargetType {
        switch self {
        case .target(let target): target
        }
    }

    public var baseURL: RawURL { target.baseURL }
    public var path: String { target.path }
    public var method: HTTPMethod { target.method }
    public var task: RequestTask { target.task }
    public var headers: HeaderFields? { target.headers }
    public var sampleData: [UInt8] { target.sampleData }
    public var sample: SampleResponse { target.sample }
    public var validationType: ValidationType { target.validationType }
}

extension MultiTarget: AccessTokenAuthorizable {
    /// Nil if the wrapped target has none.
    public var authorizationType: AuthorizationType? {
        (target as? any AccessTokenAuthorizable)?.authorizationType
    }
}
