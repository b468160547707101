public import Foundation
public import ProxydParameterCoding
public import ClientLib

/// What a target sends, and where its response goes. Moya calls it `Task`, which in Swift is
/// something else now.
public enum RequestTask: Sendable {
    /// Nothing.
    case requestPlain
    /// Bytes.
    case requestData([UInt8])
    /// A value as JSON.
    case requestJSONEncodable(any Encodable & Sendable)
    /// A value as JSON, written by an encoder of one's own.
    case requestCustomJSONEncodable(any Encodable & Sendable, encoder: JSONEncoder)
    /// Parameters, in the query or the body as the encoding says.
    case requestParameters(parameters: Parameter, encoding: any ParameterEncoding)
    /// Bytes, and parameters in the query.
    case requestCompositeData(bodyData: [UInt8], urlParameters: Parameter)
    /// Parameters in the body, and others in the query. An encoding that makes no body is an error.
    case requestCompositeParameters(
        bodyParameters: Parameter, bodyEncoding: any ParameterEncoding, urlParameters: Parameter)
    /// A file.
    case uploadFile(URL)
    /// A form of parts.
    case uploadMultipart(MultipartFormData)
    /// A form of parts, and parameters in the query.
    case uploadCompositeMultipart(MultipartFormData, urlParameters: Parameter)
    /// Nothing; the response goes to a file.
    case downloadDestination(DownloadRequest.Destination)
    /// Parameters; the response goes to a file.
    case downloadParameters(
        parameters: Parameter, encoding: any ParameterEncoding,
        destination: DownloadRequest.Destination)
}

extension RequestTask {
    /// What becomes of the response, and which progress is told.
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
}
