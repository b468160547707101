public import ProxydContentCoding
public import ProxydCurlCommand
public import FoundationEssentials
public import ProxydHTTPModel
public import ProxydParameterCoding
public import ProxydPropertyLists
public import ProxydTransport

// `localizedDescription` of an error is the same text as printing it, for every error of this
// library, including those of modules that do not import Foundation.

extension ClientError: LocalizedError {
    public var errorDescription: String? { "\(self)" }
}

extension ProxyError: LocalizedError {
    public var errorDescription: String? { "\(self)" }
}

extension ProxySettingsError: LocalizedError {
    public var errorDescription: String? { "\(self)" }
}

extension ProxyHandshakeError: LocalizedError {
    public var errorDescription: String? { "\(self)" }
}

extension ServerTrustError: LocalizedError {
    public var errorDescription: String? { "\(self)" }
}

extension CertificateFileError: LocalizedError {
    public var errorDescription: String? { "\(self)" }
}

extension RedirectRefusal: LocalizedError {
    public var errorDescription: String? { "\(self)" }
}

extension ReplayRefusal: LocalizedError {
    public var errorDescription: String? { "\(self)" }
}

extension CookieRefusal: LocalizedError {
    public var errorDescription: String? { "\(self)" }
}

extension AuthenticationError: LocalizedError {
    public var errorDescription: String? { "\(self)" }
}

extension RequestCompressor.DuplicateHeaderError: LocalizedError {
    public var errorDescription: String? { "\(self)" }
}

// MARK: Of the modules below

extension ContentCodingError: LocalizedError {
    public var errorDescription: String? { "\(self)" }
}

extension ExchangeFailure: LocalizedError {
    public var errorDescription: String? { "\(self)" }
}

extension JSONPathError: LocalizedError {
    public var errorDescription: String? { "\(self)" }
}

extension JSONSyntaxError: LocalizedError {
    public var errorDescription: String? { "\(self)" }
}

extension JSONWritingError: LocalizedError {
    public var errorDescription: String? { "\(self)" }
}

extension EncodedParts.FieldProblem: LocalizedError {
    public var errorDescription: String? { "\(self)" }
}

extension MultipartEncodingError: LocalizedError {
    public var errorDescription: String? { "\(self)" }
}

extension MultipartError: LocalizedError {
    public var errorDescription: String? { "\(self)" }
}

extension ParameterEncodingError: LocalizedError {
    public var errorDescription: String? { "\(self)" }
}

extension ParameterTreeError: LocalizedError {
    public var errorDescription: String? { "\(self)" }
}

extension PropertyListError: LocalizedError {
    public var errorDescription: String? { "\(self)" }
}

extension PropertyListWritingError: LocalizedError {
    public var errorDescription: String? { "\(self)" }
}

extension CurlProblem: LocalizedError {
    public var errorDescription: String? { "\(self)" }
}
