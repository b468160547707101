public import ProxydContentCoding
public import ProxydCurlCommand
public import FoundationEssentials
public import ProxydHTTPModel
public import ProxydParameterCoding
public import ProxydPropertyLists
public import ProxydTransport

/// An error whose `localizedDescription` is the same text as printing it: every error of this
/// library, including those of modules that do not import Foundation.
public protocol DescribedError: LocalizedError {}

extension DescribedError {
    public var errorDescription: String? { "\(self)" }
}

extension ClientError: DescribedError {}
extension ProxyError: DescribedError {}
extension ProxySettingsError: DescribedError {}
extension ProxyHandshakeError: DescribedError {}
extension ServerTrustError: DescribedError {}
extension CertificateFileError: DescribedError {}
extension RedirectRefusal: DescribedError {}
extension ReplayRefusal: DescribedError {}
extension CookieRefusal: DescribedError {}
extension AuthenticationError: DescribedError {}
extension RequestCompressor.DuplicateHeaderError: DescribedError {}

// MARK: Of the modules below

extension ContentCodingError: DescribedError {}
extension ExchangeFailure: DescribedError {}
extension JSONPathError: DescribedError {}
extension JSONSyntaxError: DescribedError {}
extension JSONWritingError: DescribedError {}
extension EncodedParts.FieldProblem: DescribedError {}
extension MultipartEncodingError: DescribedError {}
extension MultipartError: DescribedError {}
extension ParameterEncodingError: DescribedError {}
extension ParameterTreeError: DescribedError {}
extension PropertyListError: DescribedError {}
extension PropertyListWritingError: DescribedError {}
extension CurlProblem: DescribedError {}
