public import ClientLib
public import ProxydHTTPModel
public import ProxydParameterCoding
public import Foundation

/// The server's response to a target. Moya calls it `Response`.
public struct TargetResponse: Sendable {
    public var response: ResponseHead
    /// The body with content codings removed, or empty if it was saved to a file.
    public var data: [UInt8]
    /// The file with the body, for targets that download.
    public let fileURL: URL?
    /// The underlying response of ClientLib.
    private let source: any SerializedResponse

    init?(_ response: DataResponse<[UInt8]?>) {
        guard let head = response.response else { return nil }
        self.response = head
        data = response.data ?? []
        fileURL = nil
        source = response
    }

    init?(_ response: DownloadResponse<URL?>) {
        guard let head = response.response else { return nil }
        self.response = head
        data = []
        fileURL = response.fileURL
        source = response
    }

    /// The request that was sent last, or nil if none could be sent.
    public var request: HTTPRequest? { source.request }
    public var timeline: RequestTimeline { source.timeline }
    public var statusCode: Int { response.status }
    /// Every attempt, including redirects, answered challenges and retries.
    public var exchanges: [Exchange] { source.exchanges }
    /// The fields after the body; nil if there are none.
    public var trailers: HeaderFields? { exchanges.last?.response?.trailers }
}

extension TargetResponse: CustomStringConvertible {
    public var description: String { "Status Code: \(statusCode), Data Length: \(data.count)" }
}

extension TargetResponse {
    /// Returns the response if its status is one of these.
    /// - Throws: `.responseValidationFailed(.unacceptableStatusCode)` with the response.
    public func filter<Codes: RangeExpression>(statusCodes: Codes) throws(ClientError) -> Self
    where Codes.Bound == Int {
        guard statusCodes.contains(statusCode) else {
            throw ClientError(
                .responseValidationFailed(.unacceptableStatusCode(code: statusCode))
            ).carrying(self)
        }
        return self
    }

    public func filter(statusCode: Int) throws(ClientError) -> Self {
        try filter(statusCodes: statusCode...statusCode)
    }

    /// Returns the response if its status is 200…299.
    public func filterSuccessfulStatusCodes() throws(ClientError) -> Self {
        try filter(statusCodes: 200...299)
    }

    /// Returns the response if its status is 200…399.
    public func filterSuccessfulStatusAndRedirectCodes() throws(ClientError) -> Self {
        try filter(statusCodes: 200...399)
    }

    /// The body as JSON. An empty body is an error, or null if `failsOnEmptyData` is false.
    /// - Throws: `.responseSerializationFailed` with the response.
    public func mapJSON(failsOnEmptyData: Bool = true) throws(ClientError) -> JSONValue {
        if data.isEmpty, !failsOnEmptyData { return .null }
        return try serialized(by: JSONResponseSerializer())
    }

    /// The body as text; with a key path, the text at that path of the JSON body.
    /// - Throws: `.responseSerializationFailed` with the response.
    public func mapString(atKeyPath keyPath: String? = nil) throws(ClientError) -> String {
        guard let keyPath else {
            return data.isEmpty ? "" : try serialized(by: StringResponseSerializer())
        }
        guard case .string(let text) = try value(at: keyPath) else {
            throw ClientError(
                .responseSerializationFailed(.stringSerializationFailed(charset: "UTF-8")),
                message: "there is no text at \(keyPath)"
            ).carrying(self)
        }
        return text
    }

    /// The body decoded; with a key path, the value at that path of the JSON body. If
    /// `failsOnEmptyData` is false, an empty body is decoded as an empty object or an empty array.
    /// - Throws: `.responseSerializationFailed` with the response.
    public func map<Value: Decodable & Sendable>(
        _ type: Value.Type, atKeyPath keyPath: String? = nil,
        using decoder: any DataDecoder = JSONDecoder(), failsOnEmptyData: Bool = true
    ) throws(ClientError) -> Value {
        if data.isEmpty, !failsOnEmptyData {
            for empty in ["{}", "[]"] {
                if let value = try? decoder.decode(type, from: Data(empty.utf8)) { return value }
            }
        }
        guard let keyPath else {
            return try serialized(by: DecodableResponseSerializer<Value>(decoder: decoder))
        }
        let found = try value(at: keyPath)
        do {
            return try decoder.decode(type, from: Data(JSONWriter().write(found)))
        } catch {
            throw ClientError(.responseSerializationFailed(.decodingFailed), underlying: error)
                .carrying(self)
        }
    }

    private func serialized<Serializer: ResponseSerializer>(
        by serializer: Serializer
    ) throws(ClientError) -> Serializer.Output {
        do {
            return try serializer.serialize(
                SerializationInput(request: nil, response: response, data: data))
        } catch {
            throw .wrapping(error, as: .responseSerializationFailed(.custom)).carrying(self)
        }
    }

    /// The value at a key path of the JSON body, such as `user.names[0]`.
    private func value(at keyPath: String) throws(ClientError) -> JSONValue {
        let root = try mapJSON()
        guard let path = try? JSONValuePath(keyPath), let value = root.value(at: path) else {
            throw ClientError(
                .responseSerializationFailed(.jsonSerializationFailed),
                message: "the JSON has nothing at \(keyPath)"
            ).carrying(self)
        }
        return value
    }
}

/// The response that accompanies an error, and the underlying error.
struct FailedResponse: Error, CustomStringConvertible {
    let response: TargetResponse
    let underlying: (any Error)?

    var description: String {
        let shown = response.description
        return underlying.map { "\(shown): \(UnderlyingErrorText.text(of: $0))" } ?? shown
    }
}

extension ClientError {
    /// The response that was rejected or could not be parsed, if the request was for a target; nil
    /// if there was none.
    public var response: TargetResponse? { (underlying as? FailedResponse)?.response }

    /// The underlying error, which is wrapped together with the response if there is one.
    public var cause: (any Error)? {
        guard let failed = underlying as? FailedResponse else { return underlying }
        return failed.underlying
    }

    func carrying(_ response: TargetResponse?) -> ClientError {
        guard let response, self.response == nil else { return self }
        return ClientError(
            kind, phase: phase, fault: fault, message: message, attempt: attempt,
            underlying: FailedResponse(response: response, underlying: underlying))
    }
}
