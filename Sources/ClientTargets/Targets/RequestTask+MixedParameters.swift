internal import ProxydHTTPModel
internal import ProxydParameterCoding
public import ClientLib

// Parameters of mixed types, as variables have them. All are disfavoured overloads, as in
// Session+MixedParameters.swift; a value that cannot be sent is reported when a request is made
// from it.

extension RequestTask {
    /// Parameters in the query or the body, depending on the encoding.
    @_disfavoredOverload
    public static func requestParameters(
        parameters: [String: Any?], encoding: any ParameterEncoding
    ) -> RequestTask {
        make { .requestParameters(parameters: try tree(parameters), encoding: encoding) }
    }

    /// Parameters in the body, and others in the query.
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

    /// Parameters; the response is saved to a file.
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
