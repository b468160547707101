public import Foundation
public import ProxydParameterCoding
public import ClientLib

/// What a target sends, and where its response goes. Moya calls it `Task`, which now has another
/// meaning in Swift.
public enum RequestTask: Sendable {
    /// A request without a body.
    case requestPlain
    /// A body of bytes.
    case requestData([UInt8])
    /// A value encoded as JSON.
    case requestJSONEncodable(any Encodable & Sendable)
    /// A value encoded as JSON with your own encoder.
    case requestCustomJSONEncodable(any Encodable & Sendable, encoder: JSONEncoder)
    /// Parameters in the query or the body, depending on the encoding.
    case requestParameters(parameters: Parameter, encoding: any ParameterEncoding)
    /// Bytes, and parameters in the query.
    case requestCompositeData(bodyData: [UInt8], urlParameters: Parameter)
    /// Parameters in the body, and others in the query. It is an error if the encoding produces no
    /// body.
    case requestCompositeParameters(
        bodyParameters: Parameter, bodyEncoding: any ParameterEncoding, urlParameters: Parameter)
    /// A file to upload.
    case uploadFile(URL)
    /// A multipart form.
    case uploadMultipart(MultipartFormData)
    /// A multipart form, and parameters in the query.
    case uploadCompositeMultipart(MultipartFormData, urlParameters: Parameter)
    /// No body; the response is saved to a file.
    case downloadDestination(DownloadRequest.Destination)
    /// Parameters; the response is saved to a file.
    case downloadParameters(
        parameters: Parameter, encoding: any ParameterEncoding,
        destination: DownloadRequest.Destination)
}

extension RequestTask {
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
}
