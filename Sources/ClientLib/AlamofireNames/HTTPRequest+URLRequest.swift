public import FoundationEssentials
public import ProxydHTTPModel

/// Members of Foundation's `URLRequest`, and Alamofire's additions to it.
extension HTTPRequest {
    /// Creates a request. If no request can be sent to the URL, it fails with `.invalidURL`.
    public init(url: URL, method: HTTPMethod = .get, headers: HeaderFields? = nil) {
        self.init(
            method: method, url: RawURL(stringLiteral: url.absoluteString),
            fields: headers ?? HeaderFields())
    }

    /// The method as text; nil is GET.
    public var httpMethod: String? {
        get { method.rawValue }
        set { method = newValue.map(HTTPMethod.init(rawValue:)) ?? .get }
    }

    /// The body if it is in memory, or nil if there is none or it is a file, stream or form.
    public var httpBody: Data? {
        get { if case .bytes(let bytes) = body { Data(bytes) } else { nil } }
        set { body = newValue.map { .bytes(Array($0)) } ?? .none }
    }

    /// The time limit for connecting, and then for time without traffic, in seconds; 60 by default.
    /// Setting it replaces all of the session's time limits for this request; infinity means a
    /// hundred years.
    public var timeoutInterval: TimeInterval {
        get { (timeouts?.idle ?? Timeouts().idle) / .seconds(1) }
        set {
            let limit = Duration.clamping(seconds: newValue)
            timeouts = Timeouts(connect: limit, idle: limit)
        }
    }

    /// The fields by name; repeated names have their values joined by commas.
    public var allHTTPHeaderFields: [String: String]? {
        get { fields.dictionary }
        set { fields = HeaderFields(newValue ?? [:]) }
    }

    /// The first value of a field.
    public func value(forHTTPHeaderField name: String) -> String? { fields[name] }

    /// Replaces all lines of the name with one; nil removes them.
    public mutating func setValue(_ value: String?, forHTTPHeaderField name: String) {
        fields[name] = value
    }

    /// Appends a line.
    public mutating func addValue(_ value: String, forHTTPHeaderField name: String) {
        fields.append(name: name, value: value)
    }
}

extension RawURL {
    /// The whole URL as text.
    public var absoluteString: String { description }
}
