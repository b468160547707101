public import ProxydHTTPModel

/// One header field, for lists of them: `[.accept("application/json"), .authorization(…)]`.
public struct HTTPHeader: Sendable, Hashable, CustomStringConvertible {
    /// The name.
    public let name: String
    /// The value.
    public let value: String

    /// A field.
    public init(name: String, value: String) {
        self.name = name
        self.value = value
    }

    /// `Name: value`.
    public var description: String { "\(name): \(value)" }

    /// `Accept`.
    public static func accept(_ value: String) -> HTTPHeader { .init(name: "Accept", value: value) }
    /// `Accept-Charset`.
    public static func acceptCharset(_ value: String) -> HTTPHeader {
        .init(name: "Accept-Charset", value: value)
    }
    /// `Accept-Encoding`.
    public static func acceptEncoding(_ value: String) -> HTTPHeader {
        .init(name: "Accept-Encoding", value: value)
    }
    /// `Accept-Language`.
    public static func acceptLanguage(_ value: String) -> HTTPHeader {
        .init(name: "Accept-Language", value: value)
    }
    /// `Authorization`.
    public static func authorization(_ value: String) -> HTTPHeader {
        .init(name: "Authorization", value: value)
    }
    /// `Authorization` with a name and a password (RFC 7617 §2). A name with a colon, or either
    /// with a control character, cannot be said: the field then is empty.
    public static func authorization(username: String, password: String) -> HTTPHeader {
        authorization(AuthorizationHeader.basic(user: username, password: password) ?? "")
    }
    /// `Authorization` with a token (RFC 6750 §2.1); empty for a token that no field can hold.
    public static func authorization(bearerToken: String) -> HTTPHeader {
        authorization(AuthorizationHeader.bearer(token: bearerToken) ?? "")
    }
    /// `Content-Disposition`.
    public static func contentDisposition(_ value: String) -> HTTPHeader {
        .init(name: "Content-Disposition", value: value)
    }
    /// `Content-Encoding`.
    public static func contentEncoding(_ value: String) -> HTTPHeader {
        .init(name: "Content-Encoding", value: value)
    }
    /// `Content-Type`.
    public static func contentType(_ value: String) -> HTTPHeader {
        .init(name: "Content-Type", value: value)
    }
    /// `User-Agent`.
    public static func userAgent(_ value: String) -> HTTPHeader {
        .init(name: "User-Agent", value: value)
    }
}

extension HeaderFields: ExpressibleByArrayLiteral {
    /// Fields in the order they are written.
    public init(arrayLiteral elements: HTTPHeader...) { self.init(elements) }

    /// Fields in the order given.
    public init(_ headers: [HTTPHeader]) {
        self.init(headers.map { (name: $0.name, value: $0.value) })
    }

    /// Fields of a dictionary, in the order of their names.
    public init(_ dictionary: [String: String]) {
        self.init(dictionary.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) })
    }

    /// Adds a line behind the others.
    public mutating func add(_ header: HTTPHeader) {
        append(name: header.name, value: header.value)
    }

    /// Puts one line in place of all of the name.
    public mutating func update(_ header: HTTPHeader) {
        set(name: header.name, value: header.value)
    }

    /// The first value of a name.
    public func value(for name: String) -> String? { self[name] }

    /// The values by name; of a name that repeats, in any case, the values joined by commas under
    /// the first spelling.
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
