public import Foundation
public import ProxydHTTPModel

/// What Foundation's `URLRequest` has, and Alamofire adds to it.
extension HTTPRequest {
    /// A request. A URL that no request can be sent to makes it fail with `.invalidURL`.
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

    /// The body, where it is in memory; nil where there is none, or it is a file, stream or form.
    public var httpBody: Data? {
        get { if case .octets(let octets) = body { Data(octets) } else { nil } }
        set { body = newValue.map { .octets(Array($0)) } ?? .none }
    }

    /// How long, in seconds, connecting may take, and then the longest silence; 60 unless set.
    /// Setting it replaces all time limits of the session for this request; infinity means a
    /// hundred years.
    public var timeoutInterval: TimeInterval {
        get { (timeouts?.idle ?? Timeouts().idle) / .seconds(1) }
        set {
            let limit = Duration.clamping(seconds: newValue)
            timeouts = Timeouts(connect: limit, idle: limit)
        }
    }

    /// The fields by name; of a name that repeats the values, joined by commas.
    public var allHTTPHeaderFields: [String: String]? {
        get { fields.dictionary }
        set { fields = HeaderFields(newValue ?? [:]) }
    }

    /// The first value of a field.
    public func value(forHTTPHeaderField name: String) -> String? { fields[name] }

    /// Puts one line in place of all of the name; nil removes them.
    public mutating func setValue(_ value: String?, forHTTPHeaderField name: String) {
        fields[name] = value
    }

    /// Adds a line behind the others.
    public mutating func addValue(_ value: String, forHTTPHeaderField name: String) {
        fields.append(name: name, value: value)
    }
}

extension RawURL {
    /// The whole URL as text.
    public var absoluteString: String { description }
}
