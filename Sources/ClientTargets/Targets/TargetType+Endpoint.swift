internal import ProxydHTTPModel
internal import Foundation
internal import ProxydParameterCoding
public import ClientLib

extension TargetType {
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
    /// The request with the data that the task sends.
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

    /// The request with parameters added to its query.
    fileprivate func asking(_ parameters: Parameter) throws -> HTTPRequest {
        try URLEncoding.queryString.encode(self, with: parameters)
    }
}
