public import ProxydContentCoding
public import ProxydCurlCommand
public import Foundation
public import ProxydHTTPModel
public import ProxydParameterCoding
public import ProxydPropertyLists
public import ProxydTransport

// `localizedDescription` of an error says what printing it says, for every error that a program
// may get from this library. Those of modules that do not know Foundation are here, too.

extension ClientError: LocalizedError {
    /// What printing it says.
    public var errorDescription: String? { "\(self)" }
}

extension ProxyError: LocalizedError {
    /// What printing it says.
    public var errorDescription: String? { "\(self)" }
}

extension ProxySettingsError: LocalizedError {
    /// What printing it says.
    public var errorDescription: String? { "\(self)" }
}

extension ProxyHandshakeError: LocalizedError {
    /// What printing it says.
    public var errorDescription: String? { "\(self)" }
}

extension ServerTrustError: LocalizedError {
    /// What printing it says.
    public var errorDescription: String? { "\(self)" }
}

extension CertificateFileError: LocalizedError {
    /// What printing it says.
    public var errorDescription: String? { "\(self)" }
}

extension RedirectRefusal: LocalizedError {
    /// What printing it says.
    public var errorDescription: String? { "\(self)" }
}

extension ReplayRefusal: LocalizedError {
    /// What printing it says.
    public var errorDescription: String? { "\(self)" }
}

extension CookieRefusal: LocalizedError {
    /// What printing it says.
    public var errorDescription: String? { "\(self)" }
}

extension AuthenticationError: LocalizedError {
    /// What printing it says.
    public var errorDescription: String? { "\(self)" }
}

extension RequestCompressor.DuplicateHeaderError: LocalizedError {
    /// What printing it says.
    public var errorDescription: String? { "\(self)" }
}

// MARK: Of the modules below

extension ContentCodingError: LocalizedError {
    /// What printing it says.
    public var errorDescription: String? { "\(self)" }
}

extension ExchangeFailure: LocalizedError {
    /// What printing it says.
    public var errorDescription: String? { "\(self)" }
}

extension JSONPathError: LocalizedError {
    /// What printing it says.
    public var errorDescription: String? { "\(self)" }
}

extension JSONSyntaxError: LocalizedError {
    /// What printing it says.
    public var errorDescription: String? { "\(self)" }
}

extension JSONWritingError: LocalizedError {
    /// What printing it says.
    public var errorDescription: String? { "\(self)" }
}

extension MultipartEncodingError: LocalizedError {
    /// What printing it says.
    public var errorDescription: String? { "\(self)" }
}

extension MultipartError: LocalizedError {
    /// What printing it says.
    public var errorDescription: String? { "\(self)" }
}

extension ParameterEncodingError: LocalizedError {
    /// What printing it says.
    public var errorDescription: String? { "\(self)" }
}

extension ParameterTreeError: LocalizedError {
    /// What printing it says.
    public var errorDescription: String? { "\(self)" }
}

extension PropertyListError: LocalizedError {
    /// What printing it says.
    public var errorDescription: String? { "\(self)" }
}

extension PropertyListWritingError: LocalizedError {
    /// What printing it says.
    public var errorDescription: String? { "\(self)" }
}

extension CurlProblem: LocalizedError {
    /// What printing it says.
    public var errorDescription: String? { "\(self)" }
}
