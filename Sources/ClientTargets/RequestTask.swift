public import ClientLib
public import ProxydParameterCoding
public import Foundation

/// What a target sends, and where its response goes. Moya calls it `Task`, which now has another
/// meaning in Swift.
public enum RequestTask: Sendable {
    case requestPlain
    case requestData([UInt8])
    case requestJSONEncodable(any Encodable & Sendable)
    case requestCustomJSONEncodable(any Encodable & Sendable, encoder: JSONEncoder)
    case requestParameters(parameters: Parameter, encoding: any ParameterEncoding)
    case requestCompositeData(bodyData: [UInt8], urlParameters: Parameter)
    /// Parameters in the body, and others in the query. It is an error if the encoding produces no
    /// body.
    case requestCompositeParameters(
        bodyParameters: Parameter, bodyEncoding: any ParameterEncoding, urlParameters: Parameter)
    case uploadFile(URL)
    case uploadMultipart(MultipartFormData)
    case uploadCompositeMultipart(MultipartFormData, urlParameters: Parameter)
    /// No body; the response is saved to a file.
    case downloadDestination(DownloadRequest.Destination)
    case downloadParameters(
        parameters: Parameter, encoding: any ParameterEncoding,
        destination: DownloadRequest.Destination)

    /// The kind of transfer, which determines the progress that is reported.
    enum Transfer {
        case data
        case upload
        case download(DownloadRequest.Destination)
    }

    var transfer: Transfer {
        switch self {
        case .uploadFile, .uploadMultipart, .uploadCompositeMultipart: .upload
        case .downloadDestination(let destination), .downloadParameters(_, _, let destination):
            .download(destination)
        default: .data
        }
    }

    // Parameters of mixed types, as variables have them. All are disfavoured overloads, like
    // those of `Session`; a value that cannot be sent is reported when a request is made
    // from it.

    @_disfavoredOverload
    public static func requestParameters(
        parameters: [String: Any?], encoding: any ParameterEncoding
    ) -> RequestTask {
        make { .requestParameters(parameters: try tree(parameters), encoding: encoding) }
    }

    @_disfavoredOverload
    public static func requestCompositeParameters(
        bodyParameters: [String: Any?], bodyEncoding: any ParameterEncoding,
        urlParameters: [String: Any?]
    ) -> RequestTask {
        make {
            .requestCompositeParameters(
                bodyParameters: try tree(bodyParameters), bodyEncoding: bodyEncoding,
                urlParameters: try tree(urlParameters))
        }
    }

    @_disfavoredOverload
    public static func downloadParameters(
        parameters: [String: Any?], encoding: any ParameterEncoding,
        destination: @escaping DownloadRequest.Destination
    ) -> RequestTask {
        make {
            .downloadParameters(
                parameters: try tree(parameters), encoding: encoding, destination: destination)
        }
    }

    private static func tree(_ parameters: [String: Any?]) throws -> Parameter {
        try MixedParameters(parameters).parameter
    }

    private static func make(_ task: () throws -> RequestTask) -> RequestTask {
        do {
            return try task()
        } catch {
            return .requestParameters(
                parameters: .object([]), encoding: FailedEncoding(error: error))
        }
    }
}

/// Reports why parameters cannot be sent when they are about to be sent.
private struct FailedEncoding: ParameterEncoding {
    let error: any Error

    func encode(_ request: HTTPRequest, with parameters: Parameter?) throws -> HTTPRequest {
        throw error
    }
}
