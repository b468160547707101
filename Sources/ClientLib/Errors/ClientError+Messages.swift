extension ClientError.URLProblem {
    var message: String {
        switch self {
        case .notAbsolute: "the URL is not absolute: it needs http:// or https:// and a host"
        case .unsupportedScheme: "the URL's scheme is neither http nor https"
        case .badHost: "the URL's host is not valid"
        case .badPort: "the URL's port is not a number from 1 to 65535"
        case .unencodedByte: "the URL contains characters that must be percent-encoded"
        case .userInfo: "the URL contains a user name: use authenticate(username:password:)"
        }
    }
}

extension ClientError.RequestProblem {
    var message: String {
        switch self {
        case .badMethod: "the method is not a token"
        case .badTarget: "the path or query contains characters that must be percent-encoded"
        case .badFieldName: "a header's name is not valid"
        case .badFieldValue(let name): "the value of the header \(name) is not valid"
        case .conflictingFraming:
            "Content-Length or Transfer-Encoding does not match the body"
        case .fieldOfHTTP1: "a header is only for HTTP/1, and HTTP/2 may be used"
        case .bodyNotAllowed: "a request with this method cannot have a body"
        }
    }
}

extension ClientError.ValidationFailure {
    var message: String {
        switch self {
        case .unacceptableStatusCode(let code): "the status \(code) is not acceptable"
        case .unacceptableContentType(let acceptable, let actual):
            "the content type \(actual) is not one of \(acceptable.joined(separator: ", "))"
        case .missingContentType(let acceptable):
            "there is no content type; expected \(acceptable.joined(separator: ", "))"
        case .custom: "a validator refused the response"
        }
    }
}

extension ClientError.SerializationFailure {
    var message: String {
        switch self {
        case .inputDataNilOrZeroLength: "the response has no body"
        case .stringSerializationFailed(let charset): "the body is not text in \(charset)"
        case .jsonSerializationFailed: "the body is not JSON"
        case .propertyListSerializationFailed: "the body is not a property list"
        case .xmlSerializationFailed: "the body is not XML"
        case .decodingFailed: "the body could not be decoded"
        case .invalidEmptyResponse(let type): "the response is empty, and \(type) cannot be"
        case .noSerializerMatched: "no serializer could read the body"
        case .custom: "a serializer failed"
        case .inputFileReadFailed: "the downloaded file could not be read"
        }
    }
}

extension RedirectRefusal {
    var message: String {
        switch self {
        case .badLocation: "the server redirects to an invalid URL"
        case .userInfo: "the server redirects to a URL with a user name"
        case .unsupportedScheme: "the server redirects to a URL that is neither http nor https"
        case .loop: "the redirects form a loop"
        case .leavesTLS: "the server redirects from https to http"
        case .tooMany: "there are more redirects than allowed"
        }
    }
}
