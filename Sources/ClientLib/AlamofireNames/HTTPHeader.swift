public import ProxydHTTPModel

/// One header field, for lists of them: `[.accept("application/json"), .authorization(…)]`.
public struct HTTPHeader: Sendable, Hashable, CustomStringConvertible {
    public let name: String
    public let value: String

    public init(name: String, value: String) {
        self.name = name
        self.value = value
    }

    public var description: String { "\(name): \(value)" }

    public static func accept(_ value: String) -> HTTPHeader { .init(name: "Accept", value: value) }
    public static func acceptCharset(_ value: String) -> HTTPHeader {
        .init(name: "Accept-Charset", value: value)
    }
    public static func acceptEncoding(_ value: String) -> HTTPHeader {
        .init(name: "Accept-Encoding", value: value)
    }
    public static func acceptLanguage(_ value: String) -> HTTPHeader {
        .init(name: "Accept-Language", value: value)
    }
    public static func authorization(_ value: String) -> HTTPHeader {
        .init(name: "Authorization", value: value)
    }
    /// `Authorization` with a name and a password (RFC 7617 §2). The value is empty if the name
    /// contains a colon, or either contains a control character, which Basic cannot represent.
    public static func authorization(username: String, password: String) -> HTTPHeader {
        authorization(AuthorizationHeader.basic(user: username, password: password) ?? "")
    }
    /// `Authorization` with a token (RFC 6750 §2.1); empty if the token is not valid in a field.
    public static func authorization(bearerToken: String) -> HTTPHeader {
        authorization(AuthorizationHeader.bearer(token: bearerToken) ?? "")
    }
    public static func contentDisposition(_ value: String) -> HTTPHeader {
        .init(name: "Content-Disposition", value: value)
    }
    public static func contentEncoding(_ value: String) -> HTTPHeader {
        .init(name: "Content-Encoding", value: value)
    }
    public static func contentType(_ value: String) -> HTTPHeader {
        .init(name: "Content-Type", value: value)
    }
    public static func userAgent(_ value: String) -> HTTPHeader {
        .init(name: "User-Agent", value: value)
    }
}

extension HeaderFields: ExpressibleByArrayLiteral {
    public init(arrayLiteral elements: HTTPHeader...) { self.init(elements) }

    public init(_ headers: [HTTPHeader]) {
        self.init(headers.map { (name: $0.name, value: $0.value) })
    }

    /// Creates fields from a dictionary, sorted by name.
    public init(_ dictionary: [String: String]) {
        self.init(dictionary.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) })
    }

    public mutating func add(_ header: HTTPHeader) {
        append(name: header.name, value: header.value)
    }

    /// Replaces all lines of the name with one.
    public mutating func update(_ header: HTTPHeader) {
        set(name: header.name, value: header.value)
    }

    /// The first value of a name.
    public func value(for name: String) -> String? { self[name] }

    /// The values by name; repeated names are combined without case under the first spelling, with
    /// values joined by commas.
    public var dictionary: [String: String] {
        var spellings: [String: String] = [:]
        var values: [String: String] = [:]
        for (name, value) in pairs {
            let spelling = spellings[name.lowercased(), default: name]
            spellings[name.lowercased()] = spelling
            values[spelling] = values[spelling].map { "\($0), \(value)" } ?? value
        }
        return values
    }
}
