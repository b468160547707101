internal import HTTPModel

extension HTTPRequest: CustomStringConvertible, CustomDebugStringConvertible {
    /// `GET https://api.test/`.
    public var description: String { "\(method) \(url)" }

    /// Method, URL, fields and body, as in the `debugDescription` of a response.
    public var debugDescription: String { ResponseText.request(self) }
}
