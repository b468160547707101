internal import ProxydHTTPModel

extension HTTPRequest: CustomStringConvertible, CustomDebugStringConvertible {
    /// `GET https://api.test/`; secrets in the URL are left out.
    public var description: String { "\(method) \(ResponseText.secrets.url(url))" }

    /// Method, URL, fields and body, as in the `debugDescription` of a response.
    public var debugDescription: String { ResponseText.request(self) }
}
