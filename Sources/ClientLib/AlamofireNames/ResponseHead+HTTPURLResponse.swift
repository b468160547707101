public import ProxydHTTPModel

/// What Foundation's `HTTPURLResponse` has, and Alamofire adds to it.
extension ResponseHead {
    /// The status code.
    public var statusCode: Int { status }
    /// The fields in their order.
    public var headers: HeaderFields { fields }
    /// The fields by name; of a name that repeats the values, joined by commas.
    public var allHeaderFields: [String: String] { fields.dictionary }
    /// The first value of a field.
    public func value(forHTTPHeaderField name: String) -> String? { fields[name] }
}
