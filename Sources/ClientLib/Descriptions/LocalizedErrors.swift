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
    /// The text that printing the error shows.
    public var errorDescription: String? { "\(self)" }
}

extension ProxyError: LocalizedError {
    /// The text that printing the error shows.
    public var errorDescription: String? { "\(self)" }
}

extension ProxySettingsError: LocalizedError {
    /// The text that printing the error shows.
    public var errorDescription: String? { "\(self)" }
}

extension ProxyHandshakeError: LocalizedError {
    /// The text that printing the error shows.
    public var errorDescription: String? { "\(self)" }
}

extension ServerTrustError: LocalizedError {
    /// The text that printing the error shows.
    public var errorDescription: String? { "\(self)" }
}

extension CertificateFileError: LocalizedError {
    /// The text that printing the error shows.
    public var errorDescription: String? { "\(self)" }
}

extension RedirectRefusal: LocalizedError {
    /// The text that printing the error shows.
    public var errorDescription: String? { "\(self)" }
}

extension ReplayRefusal: LocalizedError {
    /// The text that printing the error shows.
    public var errorDescription: String? { "\(self)" }
}

extension CookieRefusal: LocalizedError {
    /// The text that printing the error shows.
    public var errorDescription: String? { "\(self)" }
}

extension AuthenticationError: LocalizedError {
    /// The text that printing the error shows.
    public var errorDescription: String? { "\(self)" }
}

extension RequestCompressor.DuplicateHeaderError: LocalizedError {
    /// The text that printing the error shows.
    public var errorDescription: String? { "\(self)" }
}

// MARK: Of the modules below

extension ContentCodingError: LocalizedError {
    /// The text that printing the error shows.
    public var errorDescription: String? { "\(self)" }
}

extension ExchangeFailure: LocalizedError {
    /// The text that printing the error shows.
    public var errorDescription: String? { "\(self)" }
}

extension JSONPathError: LocalizedError {
    /// The text that printing the error shows.
    public var errorDescription: String? { "\(self)" }
}

extension JSONSyntaxError: LocalizedError {
    /// The text that printing the error shows.
    public var errorDescription: String? { "\(self)" }
}

extension JSONWritingError: LocalizedError {
    /// The text that printing the error shows.
    public var errorDescription: String? { "\(self)" }
}

extension EncodedParts.FieldProblem: LocalizedError {
    /// The text that printing the error shows.
    public var errorDescription: String? { "\(self)" }
}

extension MultipartEncodingError: LocalizedError {
    /// The text that printing the error shows.
    public var errorDescription: String? { "\(self)" }
}

extension MultipartError: LocalizedError {
    /// The text that printing the error shows.
    public var errorDescription: String? { "\(self)" }
}

extension ParameterEncodingError: LocalizedError {
    /// The text that printing the error shows.
    public var errorDescription: String? { "\(self)" }
}

extension ParameterTreeError: LocalizedError {
    /// The text that printing the error shows.
    public var errorDescription: String? { "\(self)" }
}

extension PropertyListError: LocalizedError {
    /// The text that printing the error shows.
    public var errorDescription: String? { "\(self)" }
}

extension PropertyListWritingError: LocalizedError {
    /// The text that printing the error shows.
    public var errorDescription: String? { "\(self)" }
}

extension CurlProblem: LocalizedError {
    /// The text that printing the error shows.
    public var errorDescription: String? { "\(self)" }
}
