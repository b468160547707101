public import ProxydHTTPModel

/// Members of Foundation's `HTTPURLResponse`, and Alamofire's additions to it.
extension ResponseHead {
    /// The status code.
    public var statusCode: Int { status }
    /// The fields in order.
    public var headers: HeaderFields { fields }
    /// The fields by name; repeated names have their values joined by commas.
    public var allHeaderFields: [String: String] { fields.dictionary }
    /// The first value of a field.
    public func value(forHTTPHeaderField name: String) -> String? { fields[name] }
}
