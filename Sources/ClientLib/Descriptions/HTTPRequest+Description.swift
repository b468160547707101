internal import ProxydHTTPModel

extension HTTPRequest: CustomStringConvertible, CustomDebugStringConvertible {
    /// A line such as `GET https://api.test/`, without secrets from the URL.
    public var description: String { "\(method) \(ResponseText.secrets.url(url))" }

    /// Method, URL, fields and body, as in the `debugDescription` of a response.
    public var debugDescription: String { ResponseText.request(self) }
}
